import TestSupport
import Testing

@testable import PostgreSQL

/// The driver against a real server.
@Suite(.enabled(if: DatabaseUnderTest.isPostgreSQL, "needs a PostgreSQL server")) struct ConnectionTests {
  private func connect(_ change: (inout PostgreSQLConnection.Options) -> Void = { _ in }) throws -> PostgreSQLConnection
  {
    guard case .postgresql(let access) = DatabaseUnderTest.current else { throw PostgreSQLError.disconnected }
    var options = PostgreSQLConnection.Options()
    change(&options)
    return try PostgreSQLConnection(try #require(PostgreSQLURL(access.url)), options: options)
  }

  @Test func valuesComeBackAsTheyWereSent() throws {
    let connection = try connect()
    var parameters = PostgreSQLParameters()
    parameters.add(Int64.min)
    parameters.add(Int16(-7))
    parameters.add("naïve 键盘")
    [UInt8](0...255).withUnsafeBytes { parameters.add(bytes: $0) }
    parameters.add(BinaryArray(of: .int64))
    let row = try connection.query("SELECT $1::bigint, $2::smallint, $3::text, $4::bytea, $5::bigint[]", parameters)
    #expect(row.integer(0, 0) == .min)
    #expect(row.integer(0, 1) == -7)
    #expect(row.text(0, 2) == "naïve 键盘")
    #expect(row.bytes(0, 3).elementsEqual(0...255))
    #expect(row.isNull(0, 4))
  }

  @Test func arraysKeepTheirOrderAndTheirNulls() throws {
    let connection = try connect()
    var numbers = BinaryArray(of: .int64)
    var small = BinaryArray(of: .int16)
    var texts = BinaryArray(of: .text)
    for value in [3, -1, 2] as [Int64] {
      numbers.append(value)
      small.append(Int16(value))
      texts.appendNull()
    }
    var parameters = PostgreSQLParameters()
    for array in [numbers, small, texts] { parameters.add(array) }
    let rows = try connection.query("SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::text[])", parameters)
    #expect((0..<rows.rowCount).map { rows.integer($0, 0) } == [3, -1, 2])
    #expect((0..<rows.rowCount).map { rows.integer($0, 1) } == [3, -1, 2])
    #expect((0..<rows.rowCount).allSatisfy { rows.isNull($0, 2) })
  }

  @Test func aRefusedStatementEndsItsPipelineAndTheConnectionGoesOn() throws {
    let connection = try connect()
    try connection.execute("CREATE TEMP TABLE kept (number bigint)")
    #expect(throws: PostgreSQLError.refused("22012")) {
      try connection.run([
        PostgreSQLRequest("BEGIN"), PostgreSQLRequest("INSERT INTO kept VALUES (1)"), PostgreSQLRequest("SELECT 1 / 0"),
        PostgreSQLRequest("INSERT INTO kept VALUES (2)"), PostgreSQLRequest("COMMIT"),
      ])
    }
    #expect(connection.isInTransaction)
    try connection.execute("ROLLBACK")
    #expect(try connection.query("SELECT count(*) FROM kept").integer(0, 0) == 0)
    #expect(!connection.isInTransaction)
  }

  @Test func aPreparedStatementRunsInAPipelineAndTellsWhatItChanged() throws {
    let connection = try connect()
    try connection.execute("CREATE TEMP TABLE numbers (number bigint PRIMARY KEY)")
    let insert = PostgreSQLStatement(
      "insert_numbers", "INSERT INTO numbers SELECT * FROM unnest($1::bigint[]) ON CONFLICT DO NOTHING")
    try connection.prepare([insert])
    var numbers = BinaryArray(of: .int64)
    for number in 1...1000 as ClosedRange<Int64> { numbers.append(number % 600) }
    var parameters = PostgreSQLParameters()
    parameters.add(numbers)
    let results = try connection.run([PostgreSQLRequest("BEGIN"), PostgreSQLRequest(insert, parameters)])
    #expect(results[1].affectedRows == 600)
    try connection.commit([])
    #expect(try connection.query("SELECT count(*) FROM numbers").integer(0, 0) == 600)
  }

  @Test func rowsAreCopiedAndCommitted() throws {
    let connection = try connect()
    try connection.execute("CREATE TEMP TABLE copied (number bigint, small smallint, word text)")
    var rows = CopyRows(fieldCount: 3)
    for number in 0..<20_000 as Range<Int64> {
      rows.beginRow()
      rows.append(number)
      if number % 2 == 0 { rows.appendNull() } else { rows.append(Int16(number % 100)) }
      "word".utf8CString.withUnsafeBytes { rows.append(bytes: UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
    }
    try connection.execute("BEGIN")
    try connection.commit(rows, into: "copied")
    #expect(!connection.isInTransaction)
    let sums = try connection.query("SELECT count(*), sum(number)::bigint, count(small), min(word) FROM copied")
    #expect(sums.integer(0, 0) == 20_000)
    #expect(sums.integer(0, 1) == 199_990_000)
    #expect(sums.integer(0, 2) == 10_000)
    #expect(sums.text(0, 3) == "word")
  }

  @Test func aCopyThatIsRefusedCommitsNothing() throws {
    let connection = try connect()
    try connection.execute("CREATE TEMP TABLE unique_numbers (number bigint PRIMARY KEY)")
    var rows = CopyRows(fieldCount: 1)
    for number in [1, 2, 1] as [Int64] {
      rows.beginRow()
      rows.append(number)
    }
    try connection.execute("BEGIN")
    #expect(throws: PostgreSQLError.refused("23505")) { try connection.commit(rows, into: "unique_numbers") }
    try connection.execute("ROLLBACK")
    #expect(try connection.query("SELECT count(*) FROM unique_numbers").integer(0, 0) == 0)
  }

  @Test func whatTakesTooLongIsGivenUpAndStoppedInTheServer() async throws {
    let connection = try connect {
      $0.answerTimeout = .milliseconds(300)
      $0.applicationName = "osg-analytics-too-slow"
    }
    #expect(throws: PostgreSQLError.timedOut) { try connection.execute("SELECT pg_sleep(60)") }
    let other = try connect()
    let sleepers =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'osg-analytics-too-slow' AND state = 'active'"
    #expect(waitUntil(seconds: 20) { (try? other.query(sleepers).integer(0, 0)) == 0 })
  }

  @Test func anIdleConnectionThatTheServerEndsIsNoticedWithoutAsking() throws {
    let connection = try connect()
    let process = try connection.query("SELECT pg_backend_pid()").integer(0, 0)
    #expect(!connection.hasEnded)
    let other = try connect()
    _ = try other.query("SELECT pg_terminate_backend(\(process))")
    #expect(waitUntil(seconds: 20) { connection.hasEnded })
    #expect(throws: PostgreSQLError.disconnected) { try connection.execute("SELECT 1") }
  }

  @Test func aWarningAtTheCommitIsNoCommitToRelyOn() throws {
    let codes = LockedList<SQLState>()
    let connection = try connect { $0.noticed = { codes.append($0) } }
    try connection.execute("BEGIN")
    // "There is no transaction in progress", where a standby's missing answer would be.
    #expect(throws: PostgreSQLError.notReplicated) { try connection.commit([PostgreSQLRequest("COMMIT")]) }
    #expect(codes.all == ["25P01"])
  }

  @Test func whyNoConnectionCanBeMadeIsSaidInOneLineWithoutThePassword() throws {
    let url = try #require(PostgreSQLURL("postgres://nobody:secret-word@127.0.0.1:1/none"))
    let error = #expect(throws: PostgreSQLConnectError.self) { try PostgreSQLConnection(url) }
    let reason = try #require(error?.reason)
    #expect(reason.contains("127.0.0.1"))
    #expect(!reason.contains("secret-word") && !reason.contains("\n"))
  }
}
