internal import CMicroHTTPD
import Glibc
import Synchronization

// Calling the handler and sending what it answers. On libmicrohttpd's thread of the connection, but for `complete`.
extension Connection {
  /// Calls the handler; the phase is `running`.
  ///
  /// It runs on this thread until it first suspends: a handler that doesn't costs no switch of threads.
  func handle(_ body: RequestBody, left: UnsafeMutablePointer<Int>?) -> MHD_Result {
    step = .answer
    if server.isAbandoning.load(ordering: .sequentiallyConsistent) { return .NO }
    let request = request(body)
    Task.immediate { [self] in complete(await server.handler(request)) }
    return proceed(left: left)
  }

  /// Sends the response if it is there, and puts the connection aside until then.
  func proceed(left: UnsafeMutablePointer<Int>?) -> MHD_Result {
    switch phase.load(ordering: .acquiring) {
    case .completed: return deliver()
    case .running: break
    default: return .NO
    }
    // The library reads from a resumed connection first if it was about to read when it was suspended, and closes one
    // whose client has ended its sending direction, as if the request hadn't been complete. So it gets a turn in which
    // it learns that there is nothing to read, and calls again at once.
    if isComplete && !hasHadTurn {
      hasHadTurn = true
      return .YES
    }
    // What isn't taken of a part of the body makes the library call again after the resumption.
    if answersWithinBody { left?.pointee = 1 }
    // Suspended first, marked second: whoever sees the mark may resume.
    MHD_suspend_connection(handle)
    if !move(.running, to: .suspended) {
      MHD_resume_connection(handle)  // completed meanwhile
    } else if server.isAbandoning.load(ordering: .sequentiallyConsistent) {
      abandon()
    }
    return .YES
  }

  /// Takes the handler's response, on any thread.
  private func complete(_ response: Response) {
    self.response = response
    if move(.running, to: .completed) { return }
    // Counted, as the library must not be stopped between the mark and the resumption.
    server.resuming.add(1, ordering: .sequentiallyConsistent)
    if move(.suspended, to: .completed) { MHD_resume_connection(handle) }
    server.resuming.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// Stops waiting for the handler: the connection closes without a response. On any thread.
  func abandon() {
    if move(.suspended, to: .abandoned) { MHD_resume_connection(handle) }
  }

  /// Sends the response; the phase is `completed`.
  func deliver() -> MHD_Result {
    guard var response else { return .NO }
    self.response = nil
    if server.isStopping.load(ordering: .relaxed) { response.closesConnection = true }
    phase.store(.responding, ordering: .releasing)
    if answersWithinBody {
      // The library sends nothing before the end of the body. An empty socket takes a short response at once; one
      // that doesn't fit is cut off by the end of the connection.
      let bytes = response.serialized(for: head.method)
      if server.configuration.tls == nil {
        Socket.send(bytes, to: descriptor)
      } else {
        _ = bytes.withUnsafeBytes { CMicroHTTPDSendTLS(handle, $0.baseAddress, $0.count) }
      }
      return .NO
    }
    guard let message = response.makeMessage() else { return .NO }
    defer { MHD_destroy_response(message) }
    return MHD_queue_response(handle, UInt32(response.sentStatus), message)
  }
}
