import Glibc

/// Runs an actor's jobs on one thread of its own, so that blocking database calls never hold up the threads that all
/// tasks share.
///
/// `@unchecked Sendable`: the jobs are reached only under `mutex`; the C objects have stable addresses because they are
/// allocated, and are freed by the thread itself once it was told to end.
final class SerialThreadExecutor: SerialExecutor, @unchecked Sendable {
  private let shared = Shared()

  private final class Shared: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    var jobs: [UnownedJob] = []
    var isEnding = false
    weak var executor: SerialThreadExecutor?

    init() {
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }
  }

  init() {
    shared.executor = self
    var thread = pthread_t()
    let context = Unmanaged.passRetained(shared)
    let result = pthread_create(
      &thread, nil,
      { context in
        SerialThreadExecutor.run(Unmanaged<Shared>.fromOpaque(context!).takeRetainedValue())
        return nil
      }, context.toOpaque())
    precondition(result == 0, "no thread could be started for the database")
    pthread_detach(thread)
  }

  deinit {
    pthread_mutex_lock(shared.mutex)
    shared.isEnding = true
    pthread_cond_signal(shared.condition)
    pthread_mutex_unlock(shared.mutex)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(shared.mutex)
    shared.jobs.append(job)
    pthread_cond_signal(shared.condition)
    pthread_mutex_unlock(shared.mutex)
  }

  private static func run(_ shared: Shared) {
    while true {
      pthread_mutex_lock(shared.mutex)
      while shared.jobs.isEmpty, !shared.isEnding { pthread_cond_wait(shared.condition, shared.mutex) }
      let jobs = shared.jobs
      shared.jobs.removeAll(keepingCapacity: true)
      pthread_mutex_unlock(shared.mutex)
      // A job keeps its actor alive, and the actor this executor: without one no job can be left.
      guard let executor = shared.executor, !jobs.isEmpty else { return }
      for job in jobs { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }
  }
}
