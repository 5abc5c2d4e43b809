import Testing

@testable import PostgreSQL

@Suite struct ValueTests {
  @Test(arguments: ["00000", "25P02", "XX001", "57P01"]) func aStateIsFiveCapitalsAndDigits(_ text: String) throws {
    let state = try #require(SQLState(text))
    #expect("\(state)" == text)
    #expect(state.conditionClass == text.prefix(2))
  }

  @Test(arguments: ["", "0000", "000000", "25p02", "2501 ", "ÄÄÄÄÄ", "\"\"\"\"\""]) func nothingElseIs(_ text: String) {
    #expect(SQLState(text) == nil)
  }

  @Test(arguments: [
    "postgres://localhost/a", "postgresql://u:p@h1:5432,h2:5433/a?sslmode=verify-full&target_session_attrs=any",
    "postgres://", "postgres://%2Fvar%2Frun/a",
  ])
  func aURLIsWhatTheLibraryReads(_ text: String) throws {
    let url = try #require(PostgreSQLURL(text))
    #expect("\(url)" == "PostgreSQLURL(redacted)")
    #expect(String(reflecting: url) == "PostgreSQLURL(redacted)")
    #expect(Mirror(reflecting: url).children.isEmpty)
  }

  @Test(arguments: [
    "", "sqlite:a", "host=localhost dbname=a", "mysql://h/a", "postgres://h/a?nonsense=1", "postgres://[::1/a",
    "postgres://u:%zz@h/a", "postgres://h/a\u{0}b",
  ])
  func anythingElseIsNot(_ text: String) { #expect(PostgreSQLURL(text) == nil) }

  @Test func anArrayHasTheFormatThatTheManualGives() {
    var array = BinaryArray(of: .int32)
    array.append(Int32(5))
    array.appendNull()
    #expect(
      array.bytes == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5] + [
        255, 255, 255, 255,
      ])
  }

  @Test func copiedRowsHaveTheFormatThatTheManualGives() {
    var rows = CopyRows(fieldCount: 2)
    rows.beginRow()
    rows.append(Int16(7))
    rows.appendNull()
    let header = Array("PGCOPY\n".utf8) + [255, 13, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(rows.finished == header + [0, 2, 0, 0, 0, 2, 0, 7, 255, 255, 255, 255, 255, 255])
  }
}
