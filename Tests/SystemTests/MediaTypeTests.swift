import TestSupport
import Testing

/// `Content-Type` and `Content-Encoding`.
@Suite("Media types and encodings", .ownThread)
struct MediaTypeTests {
  @Test(
    "JSON is taken whatever its parameters and letter case, and when the type is absent",
    arguments: [
      nil, "application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8", "APPLICATION/JSON",
      "Application/Json; Charset=\"utf-8\"", "application/json ; x=y; z=\"a;b\"", "application/json;version=1",
    ])
  func json(_ type: String?) throws {
    var bodies = WireBodies(seed: "json \(type ?? "absent")")
    let batch = bodies.events(2)
    let headers = type.map { [("Content-Type", $0)] } ?? []
    expectTaken(try post(batch.body(), to: SharedServer.port, headers: headers), accepted: 2)
  }

  @Test(
    "another media type is 415",
    arguments: [
      "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
      "application/xml",
      "application/octet-stream", "application/jsonx", "application/jso", "application/json-patch+json",
      "application/vnd.api+json", "application/ld+json", "json", "application", "application/", "/json", "*/*",
      "application/*", "text/plain; application/json", "xapplication/json", "application/gzip",
    ])
  func otherTypes(_ type: String) throws {
    var bodies = WireBodies(seed: "otherTypes \(type)")
    for kind in [WireBatch.Kind.events, .summaries] {
      let batch = kind == .events ? bodies.events(2) : bodies.summaries(2)
      let headers = [("Content-Type", type)]
      expectError(try post(batch.body(), kind, to: SharedServer.port, headers: headers), 415, sent: Array(type.utf8))
      expectTaken(try post(batch, to: SharedServer.port), accepted: 2)
    }
  }

  @Test("gzip is taken at every level, in any letter case, in both forms")
  func gzip() throws {
    var bodies = WireBodies(seed: "gzip")
    for (index, encoding) in ["gzip", "GZIP", "Gzip", "gzip"].enumerated() {
      let headers = jsonHeaders + [("Content-Encoding", encoding)]
      for batch in [bodies.events(50), bodies.summaries(35)] {
        let count = batch.items.count
        let body = gzipped(batch.body(), level: [0, 1, 6, 9][index])
        expectTaken(try post(body, batch.kind, to: SharedServer.port, headers: headers), accepted: count, "\(encoding)")
        let again = gzipped(batch.body(.legacy))
        expectTaken(
          try post(again, batch.kind, to: SharedServer.port, headers: headers), accepted: 0, replayed: count)
      }
    }
  }

  @Test(
    "any other encoding is 415",
    arguments: [
      "deflate", "br", "zstd", "compress", "gzip, gzip", "gzip, br", "br, gzip", "deflate, gzip", "utf-8", "gzipp", "*",
    ])
  func otherEncodings(_ encoding: String) throws {
    var bodies = WireBodies(seed: "otherEncodings \(encoding)")
    let batch = bodies.events(2)
    let headers = jsonHeaders + [("Content-Encoding", encoding)]
    for body in [batch.body(), gzipped(batch.body()), gzipped(gzipped(batch.body()))] {
      expectError(try post(body, to: SharedServer.port, headers: headers), 415, sent: batch.body())
    }
    expectTaken(try post(batch, to: SharedServer.port), accepted: 2)
  }

  @Test("identity and the old name of gzip are taken or refused, never misread")
  func otherNames() throws {
    var bodies = WireBodies(seed: "otherNames")
    for (encoding, isCompressed) in [("identity", false), ("x-gzip", true), ("", false)] {
      let batch = bodies.events(1)
      let body = isCompressed ? gzipped(batch.body()) : batch.body()
      let reply = try post(body, to: SharedServer.port, headers: jsonHeaders + [("Content-Encoding", encoding)])
      if reply.status == 200 { expectTaken(reply, accepted: 1) } else { expectError(reply, 415, sent: batch.body()) }
    }
  }

  @Test("a body that isn't the gzip it claims to be is 400, and nothing of it is stored")
  func brokenGzip() throws {
    var bodies = WireBodies(seed: "brokenGzip")
    let batch = bodies.events(20)
    let good = gzipped(batch.body())
    func changed(_ index: Int, _ mask: UInt8) -> [UInt8] {
      var copy = good
      copy[index] ^= mask
      return copy
    }
    let broken: [(String, [UInt8])] = [
      ("plain JSON", batch.body()), ("empty", []), ("header alone", Array(good.prefix(10))),
      ("no trailer", Array(good.dropLast(8))), ("half a trailer", Array(good.dropLast(4))),
      ("one byte short", Array(good.dropLast())), ("half", Array(good.prefix(good.count / 2))),
      ("wrong magic", changed(0, 1)), ("wrong second magic", changed(1, 1)), ("wrong method", changed(2, 1)),
      ("reserved flags", changed(3, 0xe0)), ("wrong checksum", changed(good.count - 5, 1)),
      ("wrong length", changed(good.count - 1, 1)), ("broken block", changed(12, 0xff)),
      ("broken middle", changed(good.count / 2, 0xff)), ("trailing bytes", good + Array("trailing".utf8)),
      ("zeros", [UInt8](repeating: 0, count: 500)), ("compressed twice", gzipped(good)),
      ("compressed nothing", gzipped([])), ("header of a name that never ends", [0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
    ]
    let headers = jsonHeaders + [("Content-Encoding", "gzip")]
    for (name, body) in broken {
      expectError(try post(body, to: SharedServer.port, headers: headers), 400, sent: batch.body(), "\(name)")
    }
    expectTaken(try post(good, to: SharedServer.port, headers: headers), accepted: 20)
  }

  @Test("every truncation of a small gzip body is 400")
  func truncatedGzip() throws {
    var bodies = WireBodies(seed: "truncatedGzip")
    let batch = bodies.events(1)
    let good = gzipped(batch.body())
    let connection = try HTTPConnection(port: SharedServer.port)
    let headers = jsonHeaders + [("Content-Encoding", "gzip")]
    for count in 0..<good.count {
      let reply = try connection.request("POST", batch.path, headers: headers, body: Array(good.prefix(count)))
      #expect(reply.status == 400, "\(count) of \(good.count) bytes")
    }
    let whole = try connection.request("POST", batch.path, headers: headers, body: good)
    expectTaken(whole, accepted: 1)
  }
}
