import CPostgreSQL
import Glibc

/// Why no connection could be made, in libpq's words: they name hosts, users and files, never a password.
public struct PostgreSQLConnectError: Error, Equatable {
  /// What libpq said, in one line.
  public let reason: String

  init(_ message: String) {
    reason = message.split { $0.isNewline || $0 == "\t" }.joined(separator: "; ")
  }
}

/// One connection to a PostgreSQL server, to be used by one thread at a time. Calls block, each for a bounded time.
///
/// Values go and come in binary format. An error has a code and no message, as messages can quote what was being stored.
public final class PostgreSQLConnection {
  /// What distinguishes connections to one server.
  public struct Options: Sendable {
    /// How long the server may take for an answer.
    public var answerTimeout: Duration = .seconds(5)
    /// What the connection is called in the database's own views.
    public var applicationName = "osg-analytics"
    /// Told the codes of the server's notices and warnings.
    public var noticed: @Sendable (SQLState) -> Void = { _ in }

    /// The defaults.
    public init() {}
  }

  private let handle: OpaquePointer
  private let options: Options
  private let notices: Notices

  /// Connects. Blocks until it is done.
  /// - Throws: ``PostgreSQLConnectError``.
  public init(_ url: PostgreSQLURL, options: Options = Options()) throws(PostgreSQLConnectError) {
    // What comes before the URL is a default that the URL may overrule. A connection may take three seconds to be made, for
    // each host; a host that only reads (a standby) is passed over. A peer that is gone without a word is noticed after six
    // seconds, whether the connection waits (keepalives) or sends (user timeout).
    let parameters = [
      ("connect_timeout", "3"), ("tcp_user_timeout", "6000"), ("keepalives_idle", "3"), ("keepalives_interval", "1"),
      ("keepalives_count", "3"), ("application_name", options.applicationName),
      ("target_session_attrs", "read-write"), ("dbname", url.text),
    ]
    let names = parameters.map { strdup($0.0) }
    let values = parameters.map { strdup($0.1) }
    defer { for text in names + values { free(text) } }
    let handle = PQconnectdbParams(
      names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    guard let handle else { throw PostgreSQLConnectError("out of memory") }
    guard PQstatus(handle) == CONNECTION_OK else {
      defer { PQfinish(handle) }
      throw PostgreSQLConnectError(String(cString: PQerrorMessage(handle)))
    }
    self.handle = handle
    self.options = options
    notices = Notices(noticed: options.noticed)
    PQsetNoticeReceiver(
      handle,
      { context, result in
        Unmanaged<Notices>.fromOpaque(context!).takeUnretainedValue().receive(result)
      }, Unmanaged.passUnretained(notices).toOpaque())
    PQsetnonblocking(handle, 1)
  }

  deinit { PQfinish(handle) }

  /// The server's version, such as 150018 for 15.18.
  public var serverVersion: Int { Int(PQserverVersion(handle)) }

  /// Whether the connection has broken; it is of no more use then.
  public var isBroken: Bool { PQstatus(handle) != CONNECTION_OK }

  /// Whether an idle connection has been ended by the server, as far as can be known without asking it.
  public var hasEnded: Bool {
    if isBroken { return true }
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // Nothing is expected: what has come is a notice, or the end.
    guard poll(&descriptor, 1, 0) > 0 else { return false }
    return PQconsumeInput(handle) != 1 || isBroken
  }

  /// Whether a transaction is open, failed or not.
  public var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

  /// The warnings that the server has given since the connection was made.
  public var warningCount: Int { notices.warnings }

  /// Runs a script: any number of statements without parameters, for which nothing but success is of interest.
  /// - Throws: ``PostgreSQLError``.
  public func execute(_ script: String) throws(PostgreSQLError) { try run(script, copying: nil) }

  /// Prepares statements, in one round trip.
  /// - Throws: ``PostgreSQLError``.
  public func prepare(_ statements: [PostgreSQLStatement]) throws(PostgreSQLError) {
    try pipeline(count: statements.count) { () throws(PostgreSQLError) in
      for statement in statements {
        let sent = statement.name.withUTF8Buffer { name in
          name.withMemoryRebound(to: CChar.self) { PQsendPrepare(handle, $0.baseAddress, statement.sql, 0, nil) }
        }
        guard sent == 1 else { throw .disconnected }
      }
    }
  }

  /// Runs one statement.
  /// - Throws: ``PostgreSQLError``.
  public func run(
    _ statement: PostgreSQLStatement, _ parameters: PostgreSQLParameters = .init()
  ) throws(PostgreSQLError) -> PostgreSQLResult {
    try run([PostgreSQLRequest(statement, parameters)])[0]
  }

  /// Runs one statement that is not prepared.
  /// - Throws: ``PostgreSQLError``.
  public func query(
    _ sql: String, _ parameters: PostgreSQLParameters = .init()
  ) throws(PostgreSQLError) -> PostgreSQLResult {
    try run([PostgreSQLRequest(sql, parameters)])[0]
  }

  /// Runs statements in one round trip, in pipeline mode. The first that fails ends it: those after it are not run.
  /// - Returns: the result of each.
  /// - Throws: ``PostgreSQLError``.
  @discardableResult
  public func run(_ requests: [PostgreSQLRequest]) throws(PostgreSQLError) -> [PostgreSQLResult] {
    try pipeline(count: requests.count) { () throws(PostgreSQLError) in
      for request in requests {
        let isSent = send(request.parameters) { count, values, lengths, formats in
          switch request.kind {
          case .text(let sql): PQsendQueryParams(handle, sql, count, nil, values, lengths, formats, 1)
          case .prepared(let name):
            name.withUTF8Buffer { name in
              name.withMemoryRebound(to: CChar.self) {
                PQsendQueryPrepared(handle, $0.baseAddress, count, values, lengths, formats, 1)
              }
            }
          }
        }
        guard isSent else { throw .disconnected }
      }
    }
  }

  /// Runs statements in one round trip, the last of which is a COMMIT, and makes sure that the commit is all that the
  /// database's settings promise: a wait for a standby that was cut short is reported by a warning alone.
  /// - Throws: ``PostgreSQLError``.
  public func commit(_ requests: [PostgreSQLRequest]) throws(PostgreSQLError) {
    try expectingNoWarning { () throws(PostgreSQLError) in try run(requests + [PostgreSQLRequest("COMMIT")]) }
  }

  /// Copies rows into a table and commits, as ``commit(_:)`` does. That is the cheapest way to insert, and the rows are in
  /// no log.
  /// - Parameters:
  ///   - rows: the rows, with a field for each of the table's columns.
  ///   - table: the table's name.
  /// - Throws: ``PostgreSQLError``.
  public func commit(_ rows: CopyRows, into table: StaticString) throws(PostgreSQLError) {
    try expectingNoWarning { () throws(PostgreSQLError) in
      try run("COPY \(table) FROM STDIN (FORMAT binary); COMMIT", copying: rows)
    }
  }

  private func expectingNoWarning<Result>(_ commit: () throws(PostgreSQLError) -> Result) throws(PostgreSQLError) {
    let warnings = notices.warnings
    _ = try commit()
    if notices.warnings != warnings { throw .notReplicated }
  }
}

// MARK: - Sending and receiving

extension PostgreSQLConnection {
  private typealias Send = (
    Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
  ) -> Int32

  private func send(_ parameters: PostgreSQLParameters, _ send: Send) -> Bool {
    let count = parameters.values.count
    let lengths = parameters.values.map { Int32($0?.length ?? 0) }
    let formats = [Int32](repeating: 1, count: count)
    return parameters.bytes.withUnsafeBytes { bytes in
      // An empty value needs an address too: no address is a null.
      let base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
      let values = parameters.values.map { $0.map { (base + $0.offset).assumingMemoryBound(to: CChar.self) } }
      return send(Int32(count), values, lengths, formats) == 1
    }
  }

  /// Runs a script, and gives a COPY in it its rows.
  private func run(_ script: String, copying rows: CopyRows?) throws(PostgreSQLError) {
    guard PQsendQuery(handle, script) == 1 else { throw .disconnected }
    let deadline = ContinuousClock.now + options.answerTimeout
    try flush(until: deadline)
    var failure: PostgreSQLError?
    while let result = try nextResult(until: deadline) {
      defer { PQclear(result) }
      if PQresultStatus(result) == PGRES_COPY_IN, let rows {
        try send(rows, until: deadline)
      } else if failure == nil {
        failure = Self.failure(of: result)
      }
    }
    if let failure { throw isBroken ? .disconnected : failure }
  }

  private func send(_ rows: CopyRows, until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
    let bytes = rows.finished
    while true {
      let sent = bytes.withUnsafeBytes {
        PQputCopyData(handle, $0.baseAddress!.assumingMemoryBound(to: CChar.self), Int32($0.count))
      }
      if sent == 1 { break }
      if sent < 0 { throw .disconnected }
      try wait(until: deadline, writing: true)
    }
    while true {
      let ended = PQputCopyEnd(handle, nil)
      if ended == 1 { break }
      if ended < 0 { throw .disconnected }
      try wait(until: deadline, writing: true)
    }
    try flush(until: deadline)
  }

  @discardableResult
  private func pipeline(
    count: Int, _ send: () throws(PostgreSQLError) -> Void
  ) throws(PostgreSQLError) -> [PostgreSQLResult] {
    guard PQenterPipelineMode(handle) == 1 else { throw .disconnected }
    try send()
    guard PQpipelineSync(handle) == 1 else { throw .disconnected }
    let deadline = ContinuousClock.now + options.answerTimeout
    try flush(until: deadline)
    var results: [PostgreSQLResult] = []
    var failure: PostgreSQLError?
    while true {
      // A null ends the results of one statement; the synchronisation point ends them all.
      guard let result = try nextResult(until: deadline) else {
        if isBroken { throw .disconnected }
        continue
      }
      if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
        PQclear(result)
        break
      }
      if let problem = Self.failure(of: result) {
        if failure == nil { failure = problem }
        PQclear(result)
        if isBroken { throw .disconnected }
      } else {
        results.append(PostgreSQLResult(result))
      }
    }
    guard PQexitPipelineMode(handle) == 1 else { throw .disconnected }
    if let failure { throw failure }
    guard results.count == count else { throw .disconnected }
    return results
  }

  private static func failure(of result: OpaquePointer) -> PostgreSQLError? {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: nil
    default: Notices.state(of: result).map { .refused($0) } ?? .disconnected
    }
  }

  private func nextResult(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try wait(until: deadline, writing: false)
      guard PQconsumeInput(handle) == 1 else { throw .disconnected }
    }
    return PQgetResult(handle)
  }

  private func flush(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        try wait(until: deadline, writing: true)
        guard PQconsumeInput(handle) == 1 else { throw .disconnected }
      default: throw .disconnected
      }
    }
  }

  private func wait(until deadline: ContinuousClock.Instant, writing: Bool) throws(PostgreSQLError) {
    while true {
      let left = deadline - ContinuousClock.now
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      guard left > .zero else {
        cancel()
        throw .timedOut
      }
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN | (writing ? POLLOUT : 0)), revents: 0)
      let ready = poll(&descriptor, 1, Int32(clamping: milliseconds + 1))
      if ready > 0 { return }
      if ready < 0, errno != EINTR { throw .disconnected }
    }
  }

  /// Asks the server, over a connection of its own, to stop what it is doing for this one. Otherwise a backend that waits,
  /// for a lock or for a standby, would stay behind, and soon there would be no connection left to make. Nobody waits for
  /// this: the way to the server may be what is broken.
  private func cancel() {
    guard let cancel = PQgetCancel(handle) else { return }
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { cancel in
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(OpaquePointer(cancel!), &message, Int32(message.count))
        PQfreeCancel(OpaquePointer(cancel!))
        return nil
      }, UnsafeMutableRawPointer(cancel))
    if result == 0 { pthread_detach(thread) } else { PQfreeCancel(cancel) }
  }
}

/// What the server says beside its answers.
private final class Notices {
  private(set) var warnings = 0
  private let noticed: @Sendable (SQLState) -> Void

  init(noticed: @escaping @Sendable (SQLState) -> Void) { self.noticed = noticed }

  func receive(_ result: OpaquePointer?) {
    guard let result else { return }
    // The severity that is never translated.
    if let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))), String(cString: severity) == "WARNING" {
      warnings += 1
    }
    if let state = Self.state(of: result) { noticed(state) }
  }

  static func state(of result: OpaquePointer) -> SQLState? {
    PQresultErrorField(result, Int32(UInt8(ascii: "C"))).flatMap { SQLState(String(cString: $0)) }
  }
}
