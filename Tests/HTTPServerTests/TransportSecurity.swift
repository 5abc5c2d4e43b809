import Glibc
import HTTPServer
import TestSupport
import Testing

/// Through the `openssl` command as the client.
@Suite struct TransportSecurity {
  private static func output(_ command: String) -> [UInt8] {
    guard let pipe = popen(command, "r") else { return [] }
    defer { pclose(pipe) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&chunk, 1, chunk.count, pipe)
      if count == 0 { return output }
      output += chunk.prefix(count)
    }
  }

  /// A key and its self-signed certificate, as one PEM text that serves as both.
  private static let pem = output(
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost "
      + "-keyout - -out - 2>/dev/null")

  private static func exchange(
    _ request: String, options: String = "", _ change: @escaping (inout HTTPServer.Configuration) -> Void = { _ in },
    handler: @escaping @Sendable (Request) async -> Response = echo
  ) async throws -> String {
    let configuration = configuration {
      $0.tls = .init(certificate: pem, key: pem)
      change(&$0)
    }
    return try await withHTTPServer(configuration, handler: handler) { server in
      let client = "openssl s_client -quiet \(options) -connect 127.0.0.1:\(server.port) 2>/dev/null"
      return String(decoding: output("printf '\(request)' | \(client)"), as: UTF8.self)
    }
  }

  @Test(arguments: [0, 1])
  func `A request is answered within TLS`(handler: Int) async throws {
    let text = try await Self.exchange(
      #"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"#,
      handler: BodyLimits.handlers[handler])
    #expect(text.hasPrefix("HTTP/1.1 200"))
    #expect(text.hasSuffix("\r\n\r\nhello"))
  }

  @Test(arguments: [0, 1])
  func `A body over the limit is answered within TLS`(handler: Int) async throws {
    let announced = try await Self.exchange(
      #"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nx"#, handler: BodyLimits.handlers[handler])
    #expect(announced.hasPrefix("HTTP/1.1 413"))
    let chunked = try await Self.exchange(
      #"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n30000\r\n%0200000d"#,
      handler: BodyLimits.handlers[handler])
    #expect(chunked.hasPrefix("HTTP/1.1 413"))
    #expect(chunked.hasSuffix("too large"))
  }

  @Test func `TLS 1_1 is refused and 1_2 accepted`() async throws {
    let request = #"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"#
    let old = try await Self.exchange(request, options: "-tls1_1 -cipher ALL@SECLEVEL=0")
    #expect(old.isEmpty)
    let current = try await Self.exchange(request, options: "-tls1_2")
    #expect(current.hasPrefix("HTTP/1.1 200"))
  }

  @Test func `A client that stops in the middle of its body is closed within TLS`() async throws {
    let text = try await Self.exchange(
      #"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe"#, { $0.requestTimeoutSeconds = 1 })
    #expect(text.isEmpty)
  }
}
