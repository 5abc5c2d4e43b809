import Glibc

/// A mutex with one condition, for the few places where a thread waits for a change with a time limit.
///
/// `@unchecked Sendable`: the two pointers are set once, their targets are made for use by several threads, and they
/// are freed in deinit, when nobody can hold or await them any more. POSIX instead of `Synchronization.Mutex`, as that
/// one has no condition.
final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Gives up the lock until a notification, or until the time in milliseconds of ``Clock/now()``. Call it locked; it
  /// may also return for no reason.
  func wait(until deadline: Int64) {
    var time = timespec(tv_sec: Int(deadline / 1000), tv_nsec: Int(deadline % 1000) * 1_000_000)
    pthread_cond_timedwait(condition, mutex, &time)
  }

  /// Wakes everyone who waits. Call it locked.
  func notify() { pthread_cond_broadcast(condition) }
}

/// The monotonic clock of the machine.
enum Clock {
  /// Milliseconds since some instant in the past.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// A thread that can be joined.
struct Thread: Sendable {
  private let handle: pthread_t

  init(_ body: @escaping @Sendable () -> Void) throws(HTTPServerError) {
    let box = Unmanaged.passRetained(Body(run: body))
    var handle = pthread_t()
    let code = pthread_create(
      &handle, nil,
      {
        Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run(); return nil
      },
      box.toOpaque())
    if code != 0 {
      box.release()
      throw .system("pthread_create", code)
    }
    self.handle = handle
  }

  func join() { pthread_join(handle, nil) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
