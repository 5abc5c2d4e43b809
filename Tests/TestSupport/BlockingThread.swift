import Glibc
import Synchronization

/// Runs a function on a thread of its own, so that it may block in socket calls.
///
/// Tests run on the cooperative pool, which has as many threads as the machine has cores. A test that blocks one of
/// them waits for a server in the same process, which may need that very thread for its handler.
public func onBlockingThread<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let thread = BlockingThread.take()
  defer { thread.giveBack() }
  return try await withTaskExecutorPreference(thread) { try await body() }
}

/// A thread that runs one test at a time, and is never ended: an actor that the test has called may still be waiting
/// for its turn there, with calls of other tests behind it.
///
/// `@unchecked Sendable`: `jobs` is touched under the mutex alone.
private final class BlockingThread: TaskExecutor, @unchecked Sendable {
  private static let idle = Mutex<[BlockingThread]>([])
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [UnownedJob] = []

  static func take() -> BlockingThread { idle.withLock { $0.popLast() } ?? BlockingThread() }

  func giveBack() { Self.idle.withLock { $0.append(self) } }

  private init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        Unmanaged<BlockingThread>.fromOpaque(context!).takeRetainedValue().run()
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(mutex)
    jobs.append(job)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  private func run() -> Never {
    while true {
      pthread_mutex_lock(mutex)
      while jobs.isEmpty { pthread_cond_wait(condition, mutex) }
      let next = jobs.removeFirst()
      pthread_mutex_unlock(mutex)
      next.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
