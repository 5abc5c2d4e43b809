import Foundation

/// A list that several threads append to.
public final class LockedList<Element: Sendable>: @unchecked Sendable {
  // The lock guards the array; every access is a few instructions long.
  private let lock = NSLock()
  private var elements: [Element] = []

  /// An empty list.
  public init() {}

  /// Adds an element at the end.
  public func append(_ element: Element) { lock.withLock { elements.append(element) } }

  /// The elements so far.
  public var all: [Element] { lock.withLock { elements } }

  /// How many elements there are so far.
  public var count: Int { lock.withLock { elements.count } }
}

/// Where threads wait for each other, so that they all start the next step at the same instant.
public final class StartingGate: @unchecked Sendable {
  // The condition's lock guards `waiting`.
  private let condition = NSCondition()
  private var waiting: Int

  /// - Parameter count: how many threads have to arrive before any of them passes.
  public init(count: Int) { waiting = count }

  /// Waits until all threads are here, at most a minute.
  public func arrive() {
    condition.lock()
    defer { condition.unlock() }
    waiting -= 1
    if waiting <= 0 { return condition.broadcast() }
    let deadline = Date(timeIntervalSinceNow: 60)
    while waiting > 0, condition.wait(until: deadline) {}
  }
}

/// Runs blocking work on threads of its own, away from Swift's cooperative pool, and waits for all of it.
/// - Parameters:
///   - count: the number of threads.
///   - body: the work of one thread, given its index.
/// - Returns: the results in the order of the indices.
/// - Throws: the first error by index.
public func onThreads<Value: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
) async throws -> [Value] {
  let results = LockedList<(Int, Result<Value, any Error>)>()
  await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
    let left = StepCounter(count)
    for index in 0..<count {
      let thread = Thread {
        results.append((index, Result { try body(index) }))
        if left.decrement() { continuation.resume() }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }
  return try results.all.sorted { $0.0 < $1.0 }.map { try $0.1.get() }
}

/// Runs blocking work on one thread of its own; see ``onThreads(_:_:)``.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await onThreads(1) { _ in try body() }[0]
}

/// Repeats a question until the answer is yes.
/// - Parameters:
///   - seconds: when to give up.
///   - condition: the question.
/// - Returns: whether the answer became yes in time.
public func waitUntil(seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while true {
    if try condition() { return true }
    if Date() > deadline { return false }
    usleep(5_000)
  }
}

private final class StepCounter: @unchecked Sendable {
  // The lock guards the number.
  private let lock = NSLock()
  private var value: Int
  init(_ value: Int) { self.value = value }

  /// Takes one away; true for the caller that reached zero.
  func decrement() -> Bool {
    lock.withLock {
      value -= 1
      return value == 0
    }
  }
}
