import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests over HTTP with URLSession: without cookies, cache, credentials or redirections, and with nothing in them but
/// what the contract names.
public final class URLSessionTransport: Transport {
  private let server: URL
  private let session: URLSession
  private let refusal = RedirectionRefusal()

  /// - Parameters:
  ///   - server: the server's address, such as `https://analytics.example.com`.
  ///   - timeoutSeconds: how long a request may take, in seconds.
  public init(server: URL, timeoutSeconds: Double = 30) {
    self.server = server
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.timeoutIntervalForRequest = timeoutSeconds
    configuration.timeoutIntervalForResource = timeoutSeconds
    session = URLSession(configuration: configuration, delegate: refusal, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Sends a request.
  /// - Parameter request: the request.
  /// - Returns: the answer, whatever its status.
  /// - Throws: ``TransportError``.
  public func send(_ request: UploadRequest) async throws(TransportError) -> UploadAnswer {
    guard let url = URL(string: request.path, relativeTo: server) else { throw .network }
    var message = URLRequest(url: url)
    message.httpMethod = "POST"
    message.httpBody = Data(request.body)
    message.setValue("application/json", forHTTPHeaderField: "Content-Type")
    // What the system would fill in tells of the device.
    message.setValue("OSGAnalyticsClient", forHTTPHeaderField: "User-Agent")
    message.setValue("*", forHTTPHeaderField: "Accept-Language")
    if request.isCompressed { message.setValue("gzip", forHTTPHeaderField: "Content-Encoding") }
    if let token = request.accessToken { message.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (data, response): (Data, URLResponse)
    do { (data, response) = try await session.data(for: message) } catch {
      throw Task.isCancelled || (error as? URLError)?.code == .cancelled ? .cancelled : .network
    }
    guard let response = response as? HTTPURLResponse else { throw .network }
    return UploadAnswer(
      status: response.statusCode, body: Array(data.prefix(UploadAnswer.maximumBody)),
      retryAfterSeconds: response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) })
  }
}

/// A redirection is an answer, and leads nowhere: a batch goes to the server that it is meant for, or not at all.
private final class RedirectionRefusal: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }
}
