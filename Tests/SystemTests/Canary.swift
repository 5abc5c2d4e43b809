import Foundation
import TestSupport

/// Makes marked secrets, sends them, and keeps every byte of the answers. All secrets of a kind begin alike, with what
/// nothing else contains, so that one search finds any of them, and parts of them too.
final class Canary {
  let server: ServerProcess
  var bodies: WireBodies
  /// How many marks were made.
  private(set) var marks = 0
  var answers: [UInt8] = []
  private let markStart: String
  private let installationStart: String
  private let clientIDStart: String

  init(_ server: ServerProcess, seed: String) {
    self.server = server
    bodies = WireBodies(seed: "canary " + seed)
    markStart = "qz" + bodies.uuid().lowercased().prefix(8)
    // The twelve digits with which a UUID begins are six bytes.
    installationStart = String(bodies.uuid().prefix(13))
    clientIDStart = String(bodies.uuid().prefix(13))
  }

  /// A new text that nothing else contains, and that may be a version.
  func mark() -> String {
    marks += 1
    return markStart + bodies.uuid().lowercased().filter { $0 != "-" }.prefix(12)
  }

  /// Three items of an installation of their own, all with marked identifiers.
  func batch(_ kind: WireBatch.Kind) -> WireBatch {
    let installation = installationStart.lowercased() + bodies.uuid().lowercased().dropFirst(13)
    var batch =
      kind == .events ? bodies.events(3, installation: installation) : bodies.summaries(3, installation: installation)
    let member = kind == .events ? "clientEventId" : "clientSummaryId"
    for index in batch.items.indices { batch.items[index][member] = clientIDStart + bodies.uuid().dropFirst(13) }
    return batch
  }

  var markNeedles: [[UInt8]] { [Array(markStart.utf8), Array(markStart.uppercased().utf8)] }
  var installationNeedles: [[UInt8]] { Needles.spellings(ofUUID: installationStart) }
  var clientIDNeedles: [[UInt8]] { Needles.spellings(ofUUID: clientIDStart) }

  @discardableResult
  func send(
    _ method: String = "POST", _ path: String, _ headers: [(String, String)] = [], _ body: [UInt8]? = nil
  ) -> Int? {
    guard let reply = try? exchange(method, path: path, port: server.port, headers: headers, body: body) else {
      return nil
    }
    for (name, value) in reply.headers { answers += Array("\(name): \(value)\n".utf8) }
    answers += reply.body
    return reply.status
  }
}

/// The ways in which a secret could be written down.
enum Needles {
  /// Of a UUID or its beginning.
  static func spellings(ofUUID text: String) -> [[UInt8]] {
    let digits = text.filter { $0 != "-" }
    return [bytes(ofHex: digits)]
      + [text.lowercased(), text.uppercased(), digits.lowercased(), digits.uppercased()].map { Array($0.utf8) }
  }

  /// Of a token, whole and without its prefix.
  static func spellings(ofToken token: String) -> [[UInt8]] {
    let secret = token.hasPrefix("osg") ? String(token.drop { $0 != "_" }.dropFirst()) : token
    var spellings = [Array(token.utf8), Array(secret.utf8)]
    var base64 = secret.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    if let raw = Data(base64Encoded: base64) {
      let hex = raw.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      spellings += [Array(raw), Array(hex.utf8), Array(hex.uppercased().utf8)]
    }
    return spellings
  }

  static func bytes(ofHex digits: String) -> [UInt8] {
    let values = digits.compactMap { UInt8(String($0), radix: 16) }
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}

extension Data {
  /// Whether any of some byte strings occurs.
  func holds(anyOf needles: [[UInt8]]) -> Bool { needles.contains { position(of: $0) != nil } }

  /// The text around the first occurrence, for a message.
  func surroundings(of needle: [UInt8]) -> String {
    guard let position = position(of: needle) else { return "" }
    let range = Swift.max(0, position - 120)..<Swift.min(count, position + needle.count + 120)
    return String(decoding: self[startIndex + range.lowerBound..<startIndex + range.upperBound], as: UTF8.self)
  }

  private func position(of needle: [UInt8]) -> Int? {
    withUnsafeBytes { haystack in
      guard let start = haystack.baseAddress, let first = needle.first else { return nil }
      var offset = 0
      while let found = memchr(start + offset, Int32(first), haystack.count - offset) {
        offset = UnsafeRawPointer(found) - start
        if haystack.count - offset < needle.count { return nil }
        if memcmp(found, needle, needle.count) == 0 { return offset }
        offset += 1
      }
      return nil
    }
  }
}
