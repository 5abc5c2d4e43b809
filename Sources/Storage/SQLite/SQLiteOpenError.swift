/// Why a database can't be used. The text tells the operator what to do.
public enum SQLiteOpenError: Error, Equatable, CustomStringConvertible {
  /// There is no file, and the command does not create one.
  case missing(path: String)
  /// The folder or file can't be created or written.
  case notWritable(path: String, reason: String)
  /// The file has a second name, a hard link.
  case hasSeveralNames(path: String)
  /// The file is not a SQLite database.
  case notADatabase(path: String)
  /// The file is a SQLite database of another application.
  case foreignDatabase(path: String)
  /// The database was made by a newer version of this program.
  case newerThanProgram(path: String, databaseVersion: Int64, programVersion: Int64)
  /// A migration that the database has taken is not the one that this program knows.
  case differentMigration(path: String, version: Int64)
  /// Another server runs on this database.
  case lockedByAnotherServer(path: String)
  /// There is no room on the disk.
  case diskFull(path: String)
  /// Someone else held the database for too long.
  case busy(path: String)
  /// Any other failure, with SQLite's code.
  case failed(path: String, code: Int32)

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .missing(let path):
      "There is no database at \(path). Name the server's with --database; `serve` and `migrate` create one."
    case .notWritable(let path, let reason):
      "The database \(path) can't be written (\(reason)). Check the folder's owner, permissions and mount options."
    case .hasSeveralNames(let path):
      "The database \(path) has a second name (a hard link), and using it under both would break it. Remove the other one."
    case .notADatabase(let path):
      "\(path) is not a database. Name another file with --database, or move this one away; it was left untouched."
    case .foreignDatabase(let path):
      "\(path) is a database of another program. Name another file with --database; it was left untouched."
    case .newerThanProgram(let path, let database, let program):
      "The database \(path) has schema version \(database), this program knows versions up to \(program). "
        + "Install the newer osg-analytics that wrote it; the database was left untouched."
    case .differentMigration(let path, let version):
      "The database \(path) took another migration \(version) than this program has. "
        + "It was made by a different build: use that build, or restore a backup."
    case .lockedByAnotherServer(let path):
      "Another osg-analytics server uses the database \(path). Stop it first, or name another file with --database."
    case .diskFull(let path): "There is no room on the disk of the database \(path). Make room and start again."
    case .busy(let path): "Another process holds the database \(path). End it and start again."
    case .failed(let path, let code):
      "The database \(path) can't be opened (SQLite code \(code)). If the disk is sound, restore a backup."
    }
  }

  init(_ error: SQLiteError, path: String) {
    switch error.failure {
    case .unavailable(.full): self = .diskFull(path: path)
    case .unavailable(.busy): self = .busy(path: path)
    case .unavailable(.inaccessible): self = .notWritable(path: path, reason: "SQLite code \(error.code)")
    default: self = .failed(path: path, code: error.code)
    }
  }
}
