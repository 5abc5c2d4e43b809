import HTTPServer
import TestSupport
import Testing

/// Requests with random damage, always the same ones.
@Suite struct Mutations {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      // SplitMix64.
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  private static let requests: [[UInt8]] =
    [
      "GET /a?b=c%20d HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=\"d\"\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nAuthorization: Bearer x\r\n\r\nhello",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nX: y\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 200000\r\n\r\nx",
      "HEAD / HTTP/1.0\r\n\r\n",
    ].map { Array($0.utf8) }
    + [
      HTTPConnection.requestBytes(
        "POST", "/", headers: [("Content-Encoding", "gzip")], body: gzipped(Array("hello hello hello".utf8)))
    ]

  private static let fragments: [[UInt8]] = [
    "\r\n", "\n", "\r", "\0", ":", " ", "\t", "%", "?", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
    "0\r\n\r\n", "ffffffffffffffff\r\n", "Host: b\r\n", "HTTP/1.1", String(repeating: "a", count: 5000),
  ].map { Array($0.utf8) }

  private static func damage(_ bytes: inout [UInt8], with generator: inout Generator) {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: bytes[place] = .random(in: 0...255, using: &generator)
    case 1: bytes.insert(contentsOf: fragments.randomElement(using: &generator)!, at: place)
    case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &generator)))
    default: bytes.insert(contentsOf: bytes[max(0, place - 30)..<place], at: place)
    }
    if bytes.isEmpty { bytes = [0] }
  }

  @Test(arguments: [0, 1])
  func `Damaged requests harm nobody else`(handler: Int) async throws {
    try await withHTTPServer(handler: BodyLimits.handlers[handler]) { server in
      let witness = try HTTPConnection(port: server.port)
      var generator = Generator(state: 1)
      for number in 1...500 {
        var bytes = Self.requests.randomElement(using: &generator)!
        for _ in 1...Int.random(in: 1...5, using: &generator) { Self.damage(&bytes, with: &generator) }
        let connection = try HTTPConnection(port: server.port)
        let cut = Int.random(in: 0...bytes.count, using: &generator)
        try? connection.send(Array(bytes[..<cut]))
        try? connection.send(Array(bytes[cut...]))
        if Bool.random(using: &generator) { connection.finishSending() }
        if number.isMultiple(of: 10) {
          #expect(try witness.request("POST", "/", body: Array("\(number)".utf8)).text == "\(number)")
        }
      }
    }
  }
}
