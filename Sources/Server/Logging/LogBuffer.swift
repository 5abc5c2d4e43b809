import Glibc

/// Lines on their way from the callers to the writer thread, bounded in bytes.
///
/// `@unchecked Sendable`: every stored variable is read and written only between `lock()` and `unlock()`, and the
/// three pointers are set once and live as long as the object. A POSIX mutex instead of `Synchronization.Mutex`
/// because the writer has to wait for a condition, and `flush` for a condition with a deadline.
final class LogBuffer: @unchecked Sendable {
  /// What the writer takes in one turn.
  struct Chunk {
    /// Whole lines.
    var bytes: [UInt8] = []
    /// How many lines `bytes` holds.
    var lines: UInt64 = 0
    /// How many lines were refused since the last report.
    var dropped: UInt64 = 0
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let progress = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int

  private var pending: [UInt8] = []
  private var pendingLines: UInt64 = 0
  /// Lines that were ever taken in, and those of them that are done with: written, or lost to a failed write.
  private var accepted: UInt64 = 0
  private var settled: UInt64 = 0
  /// Lines that were ever refused or lost, those the writer has taken for a report, and those it has reported.
  private var dropped: UInt64 = 0
  private var droppedTaken: UInt64 = 0
  private var droppedReported: UInt64 = 0
  /// The last write failed: don't try to report that until there is a new line, or the thread would spin.
  private var isFailing = false
  private var isClosed = false

  /// - Parameter capacity: bytes that may wait. As much again may be in the writer's hands.
  init(capacity: Int) {
    self.capacity = capacity
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    arrival.initialize(to: pthread_cond_t())
    pthread_cond_init(arrival, nil)
    progress.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(progress, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_cond_destroy(progress)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    progress.deallocate()
    mutex.deallocate()
  }

  /// Takes a line in, or counts it as dropped when there is no room. Holds the lock for the time of a copy.
  func append(_ line: [UInt8]) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if pending.count + line.count <= capacity {
      pending.append(contentsOf: line)
      pendingLines += 1
      accepted += 1
    } else {
      dropped += 1
    }
    pthread_cond_signal(arrival)
  }

  /// Waits for something to write and takes all of it; `nil` after `close()` when nothing is left.
  func next() -> Chunk? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while pending.isEmpty && (dropped == droppedTaken || isFailing) {
      if isClosed { return nil }
      pthread_cond_wait(arrival, mutex)
    }
    let chunk = Chunk(bytes: pending, lines: pendingLines, dropped: dropped - droppedTaken)
    pending = []
    pendingLines = 0
    droppedTaken = dropped
    return chunk
  }

  /// Ends a turn of the writer.
  ///
  /// - Parameters:
  ///   - chunk: what `next()` gave.
  ///   - lost: `nil` when all was written, else how many of the chunk's lines were not.
  func settle(_ chunk: Chunk, lost: UInt64?) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    settled += chunk.lines
    if let lost {
      dropped += lost
      droppedTaken -= chunk.dropped
      isFailing = true
    } else {
      droppedReported += chunk.dropped
      isFailing = false
    }
    pthread_cond_broadcast(progress)
  }

  /// Waits until everything that happened before the call is written or reported.
  ///
  /// - Returns: whether it is; `false` at the deadline, or when a write failed.
  func waitUntilSettled(timeout: Duration) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let (seconds, attoseconds) = timeout.components
    let nanoseconds = deadline.tv_nsec + Int(attoseconds / 1_000_000_000)
    deadline.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000

    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let lines = accepted
    let drops = dropped
    while settled < lines || (droppedReported < drops && !isFailing) {
      if pthread_cond_timedwait(progress, mutex, &deadline) != 0 { break }
    }
    return settled >= lines && droppedReported >= drops && !isFailing
  }

  /// Lets the writer finish what waits and end.
  func close() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isClosed = true
    pthread_cond_signal(arrival)
  }

  /// Lines refused or lost since the start.
  var droppedLines: UInt64 {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return dropped
  }
}
