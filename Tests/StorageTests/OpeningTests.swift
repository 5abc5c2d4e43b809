import AnalyticsContract
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite(.enabled(if: DatabaseUnderTest.isSQLite, "it is about files")) struct OpeningTests {
  private let fixture = try! FileFixture()

  @Test func aFreshDatabaseTakesEveryMigrationOnce() throws {
    let versions = Migration.all.map(\.version)
    #expect(versions == Array(1...Int64(versions.count)))
    #expect(try fixture.open(.migration).appliedMigrations == versions)
    #expect(try fixture.open(.migration).appliedMigrations == [])
  }

  @Test func missingFoldersAreMadeAndAllIsPrivate() throws {
    let path = fixture.folder.file("a/b/c.sqlite")
    let store = try SQLiteStore(path: path, role: .server, clock: .fixed(noon))
    for name in ["a", "a/b", "a/b/c.sqlite", "a/b/c.sqlite-wal"] {
      var status = stat()
      #expect(stat(fixture.folder.file(name), &status) == 0)
      #expect(status.st_mode & 0o077 == 0, "\(name)")
    }
    _ = store
  }

  @Test func aSecondServerIsRefusedButACommandIsNot() throws {
    var server: SQLiteStore? = try fixture.open()
    #expect(throws: SQLiteOpenError.lockedByAnotherServer(path: fixture.path)) { try fixture.open() }
    _ = try fixture.open(.migration)
    _ = server
    server = nil
    _ = try fixture.open()
  }

  @Test(arguments: ["", "x", "SQLite format 3", String(repeating: "not a database ", count: 100)])
  func aFileThatIsNoDatabaseIsRefusedAndLeftAlone(_ text: String) throws {
    try write(text)
    if text.isEmpty {
      _ = try fixture.open()
      return
    }
    #expect(throws: SQLiteOpenError.notADatabase(path: fixture.path)) { try fixture.open() }
    #expect(contents(ofFile: fixture.path) == Array(text.utf8))
  }

  @Test(arguments: ["", "PRAGMA application_id = 1;", "PRAGMA user_version = 3;"])
  func anotherProgramsDatabaseIsRefusedAndLeftAlone(_ pragma: String) throws {
    try fixture.execute("\(pragma) CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
    let before = contents(ofFile: fixture.path)
    #expect(throws: SQLiteOpenError.foreignDatabase(path: fixture.path)) { try fixture.open() }
    #expect(contents(ofFile: fixture.path) == before)
    #expect(access(fixture.path + ".lock", F_OK) != 0)
  }

  @Test func aNewerDatabaseIsRefused() throws {
    _ = try fixture.open(.migration)
    try fixture.execute("PRAGMA user_version = 9999")
    let known = Migration.current
    let error = SQLiteOpenError.newerThanProgram(path: fixture.path, databaseVersion: 9999, programVersion: known)
    #expect(throws: error) { try fixture.open() }
  }

  @Test func aDatabaseThatTookAnotherMigrationIsRefused() throws {
    _ = try fixture.open(.migration)
    try fixture.execute("UPDATE schema_migrations SET checksum = zeroblob(32) WHERE version = 1")
    #expect(throws: SQLiteOpenError.differentMigration(path: fixture.path, version: 1)) { try fixture.open() }
  }

  @Test func theLockIsOnTheFileWhateverItsName() throws {
    let server = try fixture.open()
    let alias = fixture.folder.file("alias.sqlite")
    #expect(symlink(fixture.path, alias) == 0)
    #expect(throws: SQLiteOpenError.lockedByAnotherServer(path: alias)) {
      try SQLiteStore(path: alias, role: .server, clock: .fixed(noon))
    }
    _ = server
  }

  @Test(arguments: [StoreRole.server, .command]) func aHardLinkIsRefused(_ role: StoreRole) throws {
    _ = try fixture.open(.migration)
    #expect(link(fixture.path, fixture.folder.file("second.sqlite")) == 0)
    #expect(throws: SQLiteOpenError.hasSeveralNames(path: fixture.path)) { try fixture.open(role) }
  }

  @Test func anotherProgramsUnfinishedLogIsLeftAlone() throws {
    let connection = try SQLiteConnection(path: fixture.path)
    try connection.execute(
      "PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
    let copy = fixture.folder.file("copy.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: copy + suffix)
    }
    let before = [contents(ofFile: copy), contents(ofFile: copy + "-wal")]
    #expect(throws: SQLiteOpenError.foreignDatabase(path: copy)) {
      try SQLiteStore(path: copy, role: .server, clock: .fixed(noon))
    }
    #expect([contents(ofFile: copy), contents(ofFile: copy + "-wal")] == before)
  }

  @Test func aCommandCreatesNothing() throws {
    #expect(throws: SQLiteOpenError.missing(path: fixture.path)) { try fixture.open(.command) }
    #expect(access(fixture.path, F_OK) != 0)
  }

  @Test func whatIsNoFileIsRefusedAndNothingIsLeftBesideIt() throws {
    #expect(throws: SQLiteOpenError.notADatabase(path: "/dev/null")) {
      try SQLiteStore(path: "/dev/null", role: .server, clock: .fixed(noon))
    }
    #expect(access("/dev/null.lock", F_OK) != 0)
  }

  @Test func aFolderThatCannotBeMadeSaysSo() throws {
    try write("a file")
    let path = fixture.path + "/below/a.sqlite"
    #expect(throws: SQLiteOpenError.notWritable(path: path, reason: "Not a directory")) {
      try SQLiteStore(path: path, role: .server, clock: .fixed(noon))
    }
  }

  private func write(_ text: String) throws {
    let file = try #require(fopen(fixture.path, "wb"))
    fputs(text, file)
    fclose(file)
  }
}
