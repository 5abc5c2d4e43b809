import Glibc
import HTTPServer
import TestSupport
import Testing

@Suite struct Starting {
  private func failure(_ change: (inout HTTPServer.Configuration) -> Void) -> HTTPServerError? {
    do throws(HTTPServerError) {
      let server = try HTTPServer(configuration: configuration(change), bodyLimit: { _ in 0 }, handler: echo)
      server.stop(gracePeriodSeconds: 0)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["localhost", "", "example.org", "127.0.0.1:80", "[::1]", "256.0.0.1", "1.2.3"])
  func `What is no address literal is refused`(address: String) {
    let error = failure { $0.address = address }
    #expect(error == .notAnAddress(address))
    #expect(error?.description.contains("not a host name") == true)
  }

  @Test func `A port in use is reported as such`() async throws {
    try await withHTTPServer { server in
      let error = failure { $0.port = server.port }
      #expect(error == .addressInUse("127.0.0.1", server.port))
      #expect(error?.description.contains("\(server.port)") == true)
    }
  }

  @Test func `An address of another machine is reported as such`() {
    #expect(failure { $0.address = "192.0.2.1" } == .addressNotAvailable("192.0.2.1"))
  }

  @Test func `A certificate that is none is refused`() {
    #expect(failure { $0.tls = .init(certificate: Array("x".utf8), key: Array("y".utf8)) } == .badCertificate)
    #expect(failure { $0.tls = .init(certificate: [], key: []) } == .badCertificate)
  }

  @Test func `Numbers out of range are refused`() {
    let changes: [(inout HTTPServer.Configuration) -> Void] = [
      { $0.threads = 0 }, { $0.connectionLimit = 0 }, { $0.headerLimitBytes = 10 }, { $0.idleTimeoutSeconds = 0 },
      { $0.requestTimeoutSeconds = -1 }, { $0.threads = 100_000 }, { $0.headerLimitBytes = .max },
    ]
    for change in changes {
      guard case .outOfRange = failure(change) else {
        Issue.record("accepted")
        continue
      }
    }
  }

  @Test func `More connections than the process may have are no error`() {
    #expect(failure { $0.connectionLimit = 1_000_000 } == nil)
  }

  @Test func `An IPv6 address is listened on`() {
    // A machine without IPv6 can't be bound to: the only other outcome.
    let error = failure { $0.address = "::1" }
    #expect(error == nil || error == .addressNotAvailable("::1") || error == .system("socket", EAFNOSUPPORT))
  }

  @Test(arguments: [1, 2, 3])
  func `Any number of threads serves`(threads: Int) async throws {
    try await withHTTPServer(configuration { $0.threads = threads }) { server in
      for _ in 1...10 {
        let reply = try server.fetch("POST", "/", body: [1])
        #expect(reply.body == [1])
      }
    }
  }

  @Test func `Beyond the connection limit clients wait, those before are unharmed, and a closed one makes room`()
    async throws
  {
    let configuration = configuration {
      $0.threads = 1
      $0.connectionLimit = 2
    }
    try await withHTTPServer(configuration) { server in
      let first = try HTTPConnection(port: server.port)
      let second = try HTTPConnection(port: server.port)
      for connection in [first, second] { #expect(try connection.request("GET", "/").status == 200) }
      let third = try HTTPConnection(port: server.port)
      try third.send(HTTPConnection.requestBytes("GET", "/third"))
      for connection in [first, second] { #expect(try connection.request("GET", "/").status == 200) }
      #expect(!third.hasNews(within: 0))
      first.close()
      #expect(try third.receive().header("x-path") == "/third")
      #expect(try second.request("GET", "/").status == 200)
    }
  }
}
