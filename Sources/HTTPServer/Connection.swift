internal import CMicroHTTPD
import Glibc
import Synchronization

/// One client's connection, and the request that is on it.
///
/// `@unchecked Sendable`: what isn't atomic has one owner at a time, and ``phase`` says who. The connection's thread of
/// libmicrohttpd owns it, with three exceptions, each entered and left by an atomic exchange: whoever moves
/// `receivingBody` to `timedOut` owns the head of the request from then on; `response` belongs to the handler's task
/// until it has moved `running` or `suspended` to `completed`; `slot`, `isOpen` and, once timed out, `lingers` are
/// guarded by the registry's lock.
final class Connection: @unchecked Sendable {
  /// Where the connection's current request is.
  enum Phase: UInt8, AtomicRepresentable {
    /// No request line has arrived completely since the last response (or ever).
    case idle
    /// The request line has arrived, the header lines have not.
    case receivingHead
    /// The head is known, the body is arriving.
    case receivingBody
    /// The body took too long: the sweeper answers, and the connection ends.
    case timedOut
    /// The handler runs, and libmicrohttpd's thread waits for its first suspension.
    case running
    /// The handler runs, and libmicrohttpd has put the connection aside.
    case suspended
    /// The handler has left its response.
    case completed
    /// The connection ends, or the server does, before the handler: its response will come in vain.
    case abandoned
    /// The response is queued, or being sent.
    case responding
    /// The sweeper has ended the connection between two requests or within a head.
    case dead
  }

  /// What the next call of the access handler means.
  enum Step {
    case head, body, answer
  }

  let phase = Atomic<Phase>(.idle)
  /// When the current request began, or when the last one ended; `Clock` milliseconds.
  let since: Atomic<Int64>
  /// When the sweeper noticed bytes of a request line that isn't complete yet. Older than ``since``: none.
  let firstByte = Atomic<Int64>(0)

  /// Whether the last sweep found that the client had ended its sending direction.
  let sawEnd = Atomic<Bool>(false)
  /// When the 408 of a request that took too long was sent; 0 before.
  let answeredTimeout = Atomic<Int64>(0)
  /// Whether no request line has ever arrived completely.
  let isFresh = Atomic<Bool>(true)

  let server: ServerCore
  let descriptor: Int32
  /// libmicrohttpd's connection. It lives until the registry has let go of this object, and may be used by its own
  /// thread, and by whoever has moved `suspended` to another phase, until the resumption.
  nonisolated(unsafe) let handle: OpaquePointer

  // Guarded by the registry's lock.
  var slot = 0
  var isOpen = true

  var step = Step.head
  var isMalformed = false
  var head = RequestHead(method: .other, path: "")
  var query: [(name: String, value: String)] = []
  var keptHeaders: [(name: HeaderName, value: String)] = []
  var body: BodyAssembler?
  var response: Response?
  /// Whether the response goes out while the body is still arriving, which libmicrohttpd can't do.
  var answersWithinBody = false
  /// Whether the whole request has arrived, and whether libmicrohttpd has had a turn since.
  var isComplete = false
  var hasHadTurn = false
  /// Whether to read and discard for a while after the end: the client may still be sending.
  var lingers = false

  init(server: ServerCore, handle: OpaquePointer) {
    self.server = server
    self.handle = handle
    descriptor = CMicroHTTPDSocket(handle)
    since = Atomic(Clock.now())
  }

  /// Moves from one phase to another; false when it wasn't in the first.
  func move(_ from: Phase, to: Phase) -> Bool {
    phase.compareExchange(expected: from, desired: to, ordering: .sequentiallyConsistent).exchanged
  }

  func request(_ body: RequestBody) -> Request {
    var request = Request(method: head.method, path: head.path, query: query, body: body)
    request.keptHeaders = keptHeaders
    return request
  }

  /// Ends a request, whether answered or broken off. On libmicrohttpd's thread.
  func requestEnded() {
    since.store(Clock.now(), ordering: .relaxed)
    switch phase.load(ordering: .acquiring) {
    // The connection ends, and someone else may still be at its request.
    case .timedOut, .dead, .abandoned: return
    case .running where move(.running, to: .abandoned): return
    default: break
    }
    // Whatever it was, only the sweeper may have changed it meanwhile.
    let current = phase.load(ordering: .acquiring)
    if current == .timedOut || current == .dead || !move(current, to: .idle) { return }
    step = .head
    isMalformed = false
    head = RequestHead(method: .other, path: "")
    query = []
    keptHeaders = []
    body = nil
    response = nil
    answersWithinBody = false
    isComplete = false
    hasHadTurn = false
  }
}
