import AnalyticsContract
import Foundation
import Ingestion
import Testing

/// Bodies that are cut off or have one byte changed, judged by two other readers of JSON.
@Suite struct DamagedBodies {
  private static let bodies: [(endpoint: IngestionEndpoint, bytes: [UInt8])] = [
    (.events, Array(JSON.body([.event]).canonical.utf8)),
    (.keyboardUsage, Array(JSON.body([.summary], to: .keyboardUsage).canonical.utf8)),
  ]

  @Test(arguments: 0..<2)
  func `A body that is cut off anywhere is no JSON`(which: Int) {
    let (endpoint, bytes) = Self.bodies[which]
    for length in 0..<bytes.count {
      let body = Array(bytes[..<length])
      #expect(isSyntaxError(body, endpoint), "\(length)")
      #expect(!StrictJSON.accepts(body))
    }
    #expect(verdict(bytes, endpoint) == "batch")
  }

  @Test(arguments: 0..<2)
  func `A body that is cut off at its start is no JSON`(which: Int) {
    let (endpoint, bytes) = Self.bodies[which]
    for length in 0..<bytes.count - 1 {
      let body = Array(bytes.suffix(length))
      #expect(isSyntaxError(body, endpoint) == !StrictJSON.accepts(body), "\(length)")
    }
  }

  @Test(arguments: 0..<2, 0..<4)
  func `Any byte in any place is judged as another reader of JSON does, and what is accepted is what was sent`(
    which: Int, quarter: Int
  ) {
    let (endpoint, bytes) = Self.bodies[which]
    var accepted = 0
    var complaints: [String] = []
    for position in stride(from: quarter, to: bytes.count, by: 4) {
      for byte in UInt8.min ... .max where byte != bytes[position] {
        var body = bytes
        body[position] = byte
        if let complaint = complaint(body, endpoint, &accepted, askingFoundation: false) {
          complaints.append("\(position) \(byte): \(complaint)")
        }
      }
    }
    #expect(accepted > 0)
    #expect(complaints.isEmpty, "\(complaints.count), first: \(complaints[0])")
  }

  @Test(arguments: 0..<2)
  func `A byte too many or too few is judged as another reader of JSON does`(which: Int) {
    let (endpoint, bytes) = Self.bodies[which]
    var accepted = 0
    var complaints: [String] = []
    for position in 0...bytes.count {
      for byte in Array("\"\\{}[]:, \n0-e.tu\0\u{7F}".utf8) + [0x80, 0xC0, 0xFF] {
        var body = bytes
        body.insert(byte, at: position)
        if let complaint = complaint(body, endpoint, &accepted) {
          complaints.append("+\(position) \(byte): \(complaint)")
        }
      }
      if position < bytes.count {
        var body = bytes
        body.remove(at: position)
        if let complaint = complaint(body, endpoint, &accepted) { complaints.append("-\(position): \(complaint)") }
      }
    }
    #expect(accepted > 0)
    #expect(complaints.isEmpty, "\(complaints.count), first: \(complaints[0])")
  }

  @Test func `Random damage in many places never gives anything but a batch or a rejection`() {
    var random = SeededRandom(seed: 4)
    var accepted = 0
    var complaints: [String] = []
    for round in 0..<4000 {
      var (endpoint, body) = Self.bodies[round % 2]
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let position = Int.random(in: 0..<body.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: body[position] = UInt8.random(in: .min ... .max, using: &random)
        case 1: body.remove(at: position)
        case 2: body.insert(body.randomElement(using: &random)!, at: position)
        default: body.swapAt(position, Int.random(in: 0..<body.count, using: &random))
        }
      }
      if let complaint = complaint(body, endpoint, &accepted) {
        complaints.append("\(complaint): \(String(decoding: body, as: UTF8.self))")
      }
    }
    #expect(complaints.isEmpty, "\(complaints.count), first: \(complaints[0])")
  }

  /// What is wrong with the decoder's judgement of a body.
  private func complaint(
    _ body: [UInt8], _ endpoint: IngestionEndpoint, _ accepted: inout Int, askingFoundation: Bool = true
  ) -> String? {
    let isJSON = StrictJSON.accepts(body)
    switch decode(body, endpoint) {
    case .success(let batch):
      accepted += 1
      if !isJSON { return "accepted, and no JSON" }
      // The bodies are canonical, so nothing but the way to write the same values may differ.
      if plain(batch.body(form: .root)) != plain(body) { return "accepted with other values" }
    case .failure(let rejection):
      let rules = rejection.violations.map(\.rule)
      if rules.isEmpty || rules.count > 20 { return "\(rules.count) violations" }
      if rejection.code.status != (rules.contains(where: \.isStructural) ? 400 : 422) { return "\(rejection.code)" }
      if rules.contains(.invalidJSON) == isJSON { return isJSON ? "called no JSON" : "not called no JSON" }
    }
    if isJSON, askingFoundation,
      (try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)) == nil
    {
      return "Foundation calls it no JSON"
    }
    return nil
  }

  /// A body without white space, letter case and the zeros at the end of a second's fraction.
  private func plain(_ body: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = []
    for byte in body {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: break
      case 0x5A:
        while plain.last == 0x30 { plain.removeLast() }
        plain.append(byte)
      case 0x41...0x59: plain.append(byte | 0x20)
      default: plain.append(byte)
      }
    }
    return plain
  }
}
