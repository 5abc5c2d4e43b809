internal import CMicroHTTPD
import Synchronization

/// What the callbacks of libmicrohttpd and the threads of the server share. It outlives them all: `HTTPServer` lets go
/// of it only after the daemon has stopped.
final class ServerCore: Sendable {
  let configuration: HTTPServer.Configuration
  let bodyLimit: @Sendable (RequestHead) -> Int
  let handler: @Sendable (Request) async -> Response
  let registry = ConnectionRegistry()
  let lingering: LingeringCloser

  /// Every response closes its connection from now on.
  let isStopping = Atomic<Bool>(false)
  /// No handler is called or waited for any more.
  let isAbandoning = Atomic<Bool>(false)
  /// How many tasks are just resuming their connection.
  let resuming = Atomic<Int>(0)

  init(
    configuration: HTTPServer.Configuration, bodyLimit: @escaping @Sendable (RequestHead) -> Int,
    handler: @escaping @Sendable (Request) async -> Response
  ) throws(HTTPServerError) {
    self.configuration = configuration
    self.bodyLimit = bodyLimit
    self.handler = handler
    lingering = try LingeringCloser(capacity: configuration.lingeringLimit)
  }
}

/// The functions that libmicrohttpd calls. `context` is the `ServerCore`, kept alive by `HTTPServer` until the daemon
/// has stopped; `con_cls` and the socket's context are the `Connection`, retained from the connection's start to its
/// end by the socket's context.
enum Callbacks {
  static let connection: MHD_NotifyConnectionCallback = { context, handle, socketContext, code in
    guard let context, let handle, let socketContext else { return }
    let server = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if code == .CONNECTION_NOTIFY_STARTED {
      let connection = Connection(server: server, handle: handle)
      socketContext.pointee = Unmanaged.passRetained(connection).toOpaque()
      server.registry.insert(connection)
    } else if let pointer = socketContext.pointee {
      let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
      socketContext.pointee = nil
      if let descriptor = server.registry.remove(connection), descriptor >= 0 { server.lingering.add(descriptor) }
    }
  }

  static let requestLine:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
      _, target, handle in
      guard let target, let handle, let pointer = CMicroHTTPDSocketContext(handle) else { return nil }
      Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue().requestLine(target)
      return pointer
    }

  static let access: MHD_AccessHandlerCallback = { _, _, _, method, version, data, size, requestContext in
    guard let method, let version, let size, let pointer = requestContext?.pointee else { return .NO }
    return Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
      .access(method: method, version: version, data: data, size: size)
  }

  static let completed: MHD_RequestCompletedCallback = { _, _, requestContext, _ in
    guard let pointer = requestContext?.pointee else { return }
    Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue().requestEnded()
  }
}
