import Ingestion

/// Asks the database whether it can be used, at most once a second and one question at a time: whoever asks meanwhile gets
/// the same answer, so that probes never pile up behind a database that is held.
actor ReadinessProbe {
  private let ask: @Sendable () async throws(StoreFailure) -> Void
  private var current: (asked: ContinuousClock.Instant, answer: Task<StoreFailure?, Never>)?
  private var isOver = true

  init(ask: @escaping @Sendable () async throws(StoreFailure) -> Void) { self.ask = ask }

  /// - Throws: the store's failure where it can't be used.
  func check() async throws(StoreFailure) {
    let now = ContinuousClock.now
    let answer: Task<StoreFailure?, Never>
    if let current, !isOver || now - current.asked < .seconds(1) {
      answer = current.answer
    } else {
      isOver = false
      answer = Task {
        defer { isOver = true }
        do throws(StoreFailure) {
          try await ask()
          return nil
        } catch { return error }
      }
      current = (now, answer)
    }
    if let failure = await answer.value { throw failure }
  }
}
