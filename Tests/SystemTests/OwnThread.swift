import TestSupport
import Testing

/// Runs each test on a thread of its own, a few at a time. These tests block in socket calls and wait for processes, which
/// must not take the cooperative pool away from tests whose server runs in this process; and each has a server of its
/// own, of which a small machine can't run a hundred at once.
struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  private static let places = Places(3)

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.places.take()
    let result: Result<Void, any Error>
    do {
      result = .success(try await withoutActuallyEscaping(function) { try await onBlockingThread($0) })
    } catch {
      result = .failure(error)
    }
    await Self.places.give()
    try result.get()
  }
}

extension Trait where Self == OwnThread {
  /// See ``OwnThread``.
  static var ownThread: Self { OwnThread() }
}

/// A number of places, given in the order of asking.
private actor Places {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
