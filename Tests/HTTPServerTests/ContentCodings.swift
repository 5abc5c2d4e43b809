import HTTPServer
import TestSupport
import Testing

@Suite struct ContentCodings {
  private static let text = Array(String(repeating: "An event, and another one. ", count: 400).utf8)

  private func post(_ body: [UInt8], coding: String, limit: Int = 128 * 1024) async throws -> HTTPReply {
    try await withHTTPServer(limit: { _ in limit }) { server in
      try server.fetch("POST", "/", headers: [("Content-Encoding", coding)], body: body)
    }
  }

  @Test(arguments: ["gzip", "GZip", "x-gzip", " gzip "])
  func `A gzip body is inflated`(coding: String) async throws {
    #expect(try await post(gzipped(Self.text), coding: coding).body == Self.text)
  }

  @Test func `Identity is no coding`() async throws {
    #expect(try await post(Self.text, coding: "identity").body == Self.text)
  }

  @Test(arguments: ["br", "deflate", "gzip, gzip", "gzip, identity", "zstd"])
  func `Another coding is reported as unsupported and the connection goes on`(coding: String) async throws {
    try await withHTTPServer { server in
      let connection = try HTTPConnection(port: server.port)
      let reply = try connection.request("POST", "/", headers: [("Content-Encoding", coding)], body: [1, 2, 3])
      #expect(reply.status == 415)
      #expect(try connection.request("POST", "/", body: [1]).body == [1])
    }
  }

  @Test func `Two codings in two lines are unsupported`() async throws {
    try await withHTTPServer { server in
      let headers = [("Content-Encoding", "gzip"), ("Content-Encoding", "gzip")]
      let reply = try server.fetch("POST", "/", headers: headers, body: gzipped(gzipped([1])))
      #expect(reply.status == 415)
    }
  }

  @Test func `The limit holds for the inflated size`() async throws {
    #expect(try await post(gzipped([UInt8](repeating: 1, count: 1000)), coding: "gzip", limit: 1000).status == 200)
    #expect(try await post(gzipped([UInt8](repeating: 1, count: 1001)), coding: "gzip", limit: 1000).status == 413)
  }

  @Test func `A gzip bomb is too large`() async throws {
    let bomb = gzipped([UInt8](repeating: 0, count: 64 * 1024 * 1024))
    #expect(bomb.count < 128 * 1024)
    #expect(try await post(bomb, coding: "gzip").status == 413)
  }

  @Test func `The compressed size is limited too`() async throws {
    // Empty members inflate to nothing.
    let empty = gzipped([])
    let many = Array(repeatElement(empty, count: 1 + 1000 / empty.count).joined())
    #expect(try await post(many, coding: "gzip", limit: 1000).status == 413)
  }

  @Test func `Members that follow each other are one body`() async throws {
    #expect(try await post(gzipped([1, 2]) + gzipped([]) + gzipped([3]), coding: "gzip").body == [1, 2, 3])
  }

  @Test func `A stream that ends early is undecodable`() async throws {
    let whole = gzipped(Self.text)
    for count in [1, 5, 10, 11, whole.count / 2, whole.count - 8, whole.count - 1] {
      #expect(try await post(Array(whole.prefix(count)), coding: "gzip").text == "undecodable")
    }
  }

  @Test(arguments: [[0], [0x1F], [0x1F, 0x8B], [0, 0, 0, 0], Array("trailing".utf8)] as [[UInt8]])
  func `Anything else behind the stream makes it undecodable`(trailing: [UInt8]) async throws {
    #expect(try await post(gzipped(Self.text) + trailing, coding: "gzip").text == "undecodable")
  }

  @Test func `A body that is no gzip stream or has a wrong checksum is undecodable`() async throws {
    #expect(try await post(Self.text, coding: "gzip").text == "undecodable")
    var broken = gzipped(Self.text)
    broken[broken.count - 8] ^= 1
    #expect(try await post(broken, coding: "gzip").text == "undecodable")
  }

  @Test func `No body at all is an empty one in any coding`() async throws {
    #expect(try await post([], coding: "gzip").status == 200)
    #expect(try await post([], coding: "br").status == 200)
  }

  @Test func `A gzip body that arrives byte by byte is inflated`() async throws {
    try await withHTTPServer { server in
      let body = gzipped(Array("a small body".utf8)) + gzipped(Array(" in two members".utf8))
      let connection = try HTTPConnection(port: server.port)
      try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
      for byte in body { try connection.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
      try connection.send("0\r\n\r\n")
      #expect(try connection.receive().text == "a small body in two members")
    }
  }
}
