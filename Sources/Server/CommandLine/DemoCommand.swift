import AnalyticsContract
import Demo
import Glibc
import Storage

/// `demo`: makes a population, with a bar that tells how far it is.
struct DemoCommand {
  let plan: DemoPlan
  let database: DatabaseLocation

  /// Makes it.
  /// - Returns: what was made, and how to look at it.
  func run() async throws -> String {
    let clock = DemoClock(at: plan.days.lowerBound.start)
    let store: any AnalyticsStore =
      switch database {
      case .sqlite(let path): try SQLiteStore(path: path, role: .server, clock: clock.clock)
      case .postgreSQL(let url): try PostgreSQLStore(url: url, role: .server, clock: clock.clock)
      }
    var bar = ProgressBar(total: plan.days.dayCount)
    let start = ContinuousClock.now
    let result: Demonstration.Result
    do {
      result = try await Demonstration(plan, store: store, clock: clock).run { bar.show($0) }
    } catch {
      bar.clear()
      throw error
    }
    bar.clear()
    await store.close()
    let seconds = (ContinuousClock.now - start).components.seconds
    return """
      \(plan.installations) installations from \(plan.days.lowerBound) to \(plan.days.upperBound), made in \(seconds) s:

        \(result.accepted) events and summaries in \(result.requests) requests
        \(result.replayed) of them sent again, \(result.refused) requests refused
        \(result.facts) facts of the account server

      Look at it:

        osg-analytics report overview --database \(database.argument)

      """
  }
}

extension DatabaseLocation {
  /// As it is given to `--database`; a password is not repeated.
  fileprivate var argument: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgreSQL: "postgres://…"
    }
  }
}

/// A line on a terminal that is drawn over itself; where standard error is no terminal, nothing.
private struct ProgressBar {
  let total: Int
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private static let width = 40

  init(total: Int) { self.total = total }

  mutating func show(_ done: Int) {
    let filled = done * Self.width / max(1, total)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    write("\r[\(bar)] day \(done) of \(total)")
  }

  mutating func clear() { write("\r" + String(repeating: " ", count: Self.width + 30) + "\r") }

  private func write(_ text: String) {
    guard isTerminal else { return }
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
