import AnalyticsContract
import ServerFacts
import TestSupport
import Testing

/// What is refused before a transaction is read: form, header and signature. What is tried thousands of times has a thread
/// of its own, so that tests which wait for a server in this process get their turn.
@Suite struct StoreKitSignatures {
  private static let sample = StoreKitPayload().json
  /// For what is tried thousands of times: with P-256 throughout a chain takes half the time.
  private static let quick = StoreKitAuthority(
    root: .root.with { $0.key = "P-256" }, intermediate: .intermediate.with { $0.key = "P-256" })

  private func refusal(header: String) -> StoreKitRefusal? {
    verify(storeKit.sign(Self.sample, header: header)).refusal
  }

  @Test(arguments: ["none", "HS256", "ES384", "ES512", "RS256", "EdDSA", "es256", "ES256 ", ""])
  func `Another algorithm is refused`(_ algorithm: String) {
    #expect(refusal(header: storeKit.header(algorithm: algorithm)) == .algorithm)
    // Whatever the header says, an empty signature is none.
    let parts = storeKit.sign(Self.sample, header: storeKit.header(algorithm: algorithm)).split(separator: ".")
    #expect(verify("\(parts[0]).\(parts[1]).").refusal == .algorithm)
  }

  @Test func `A header without an algorithm, or with one that is no text, is refused`() {
    let header = storeKit.header()
    for algorithm in ["null", "256", "[\"ES256\"]", "true"] {
      #expect(refusal(header: header.replacing(#""ES256""#, with: algorithm)) == .algorithm)
    }
    #expect(refusal(header: header.replacing(#""alg":"ES256","#, with: "")) == .algorithm)
    #expect(refusal(header: header.replacing(#""alg":"#, with: #""alg":"none","alg":"#)) == .malformed)
    #expect(refusal(header: header.replacing(#""alg":"#, with: #""crit":["exp"],"alg":"#)) == .algorithm)
    #expect(refusal(header: header.replacing(#""alg":"#, with: #""kid":"x","alg":"#)) == nil)
  }

  @Test(arguments: ["", "{", "[]", "null", "ES256", "{\"alg\":\"ES256\"}x", "\u{FEFF}{}"])
  func `A header that is no JSON object is refused`(_ header: String) {
    #expect(refusal(header: header) == .malformed)
  }

  @Test func `A header is nested as deep as one likes without harm`() {
    #expect(refusal(header: String(repeating: "[", count: 40_000)) == .malformed)
    #expect(refusal(header: #"{"x5c":"# + String(repeating: "[", count: 40_000)) == .malformed)
    #expect(refusal(header: String(repeating: "{\"x5c\":", count: 1000)) == .malformed)
  }

  @Test func `Not exactly three certificates are refused`() {
    let chain = storeKit.certificates
    for certificates in [[], [chain[0]], Array(chain[..<2]), chain + [chain[2]], chain + chain] {
      #expect(refusal(header: storeKit.header(certificates: certificates)) == .certificates)
    }
    for value in ["null", "{}", "3", #""x""#, "[1,2,3]", "[null,null,null]", "[[],[],[]]", #"["","",""]"#] {
      let refusal = refusal(header: #"{"alg":"ES256","x5c":\#(value)}"#)
      #expect(refusal == .certificates || refusal == .root)
    }
    #expect(refusal(header: #"{"alg":"ES256"}"#) == .certificates)
  }

  @Test func `Garbage in the place of a certificate is refused`() {
    var random = SeededGenerator(seed: "garbage certificates")
    let chain = storeKit.certificates
    for position in 0..<3 {
      let whole = chain[position]
      var replacements = [[], [0], [0x30], [0x30, 0x80], whole + [0], Array(whole.dropLast()), whole + whole]
      replacements.append((0..<700).map { _ in UInt8.random(in: .min ... .max, using: &random) })
      for replacement in replacements {
        var certificates = chain
        certificates[position] = replacement
        let refusal = refusal(header: storeKit.header(certificates: certificates))
        #expect(refusal == (position == 2 ? .root : .certificates))
      }
    }
  }

  @Test func `A certificate in any other base64 than the standard one is refused`() {
    let header = storeKit.header()
    #expect(refusal(header: header.replacing(#"x5c":["M"#, with: #"x5c":["\nM"#)) == .certificates)
    #expect(refusal(header: header.replacing(#"x5c":["M"#, with: #"x5c":[" M"#)) == .certificates)
    #expect(refusal(header: header.replacing(#"x5c":["M"#, with: #"x5c":["="#)) == .certificates)
    #expect(refusal(header: header.replacing("\"]", with: "=\"]")) == .certificates)
  }

  @Test func `A changed certificate is refused, whatever is changed`() async throws {
    try await onBlockingThread {
      var random = SeededGenerator(seed: "changed certificates")
      for position in 0..<3 {
        for index in Self.quick.certificates[position].indices where index % 3 == position {
          var chain = Self.quick.certificates
          chain[position][index] ^= 1 << UInt8.random(in: 0...7, using: &random)
          let jws = Self.quick.sign(Self.sample, header: Self.quick.header(certificates: chain))
          let result = verify(jws, trusting: Self.quick)
          #expect(result.transaction == nil, "certificate \(position), byte \(index)")
        }
      }
    }
  }

  @Test(arguments: StoreKitAuthority.SignatureForm.allCases)
  func `A changed payload or header is refused`(_ form: StoreKitAuthority.SignatureForm) {
    let parts = storeKit.sign(Self.sample, form: form).split(separator: ".")
    let cheaper = StoreKitAuthority.base64URL(Array(StoreKitPayload(["price": "1"]).json.utf8))
    #expect(verify("\(parts[0]).\(cheaper).\(parts[2])").refusal == .signature)
    let spaced = StoreKitAuthority.base64URL(Array((" " + storeKit.header()).utf8))
    #expect(verify("\(spaced).\(parts[1]).\(parts[2])").refusal == .signature)
    let resigned = storeKit.sign(Self.sample, form: form).split(separator: ".")
    #expect(verify("\(parts[0]).\(parts[1]).\(resigned[2])").transaction != nil)
  }

  @Test func `Nothing of a payload is judged before its signature holds`() {
    let parts = storeKit.sign(Self.sample).split(separator: ".")
    for changes in [
      ["bundleId": #""com.example.other""#], ["environment": #""Sandbox""#], ["quantity": "0"], ["type": nil],
    ] {
      let other = StoreKitAuthority.base64URL(Array(StoreKitPayload(changes).json.utf8))
      #expect(verify("\(parts[0]).\(other).\(parts[2])").refusal == .signature)
    }
  }

  @Test func `A signature of another length or of numbers out of range is refused`() {
    let parts = storeKit.sign(Self.sample).split(separator: ".")
    let signatures: [[UInt8]] = [
      [], [0], Array(repeating: 0, count: 64), Array(repeating: 0xFF, count: 64), Array(repeating: 1, count: 63),
      Array(repeating: 1, count: 65), Array(repeating: 1, count: 96), [0x30], [0x30, 6, 2, 1, 0, 2, 1, 0],
      [0x30, 6, 2, 1, 1, 2, 1, 1], [0x30] + Array(repeating: 0x30, count: 63), Array(repeating: 0x30, count: 5000),
    ]
    for signature in signatures {
      #expect(verify("\(parts[0]).\(parts[1]).\(StoreKitAuthority.base64URL(signature))").refusal == .signature)
    }
  }

  @Test func `A byte changed anywhere makes it another's`() async throws {
    try await onBlockingThread {
      let good = Array(Self.quick.sign(Self.sample).utf8)
      var random = SeededGenerator(seed: "changed bytes")
      #expect(verify(good, trusting: Self.quick).transaction != nil)
      for index in good.indices {
        var bad = good
        bad[index] ^= UInt8.random(in: 1...255, using: &random)
        #expect(verify(bad, trusting: Self.quick).transaction == nil, "byte \(index)")
      }
      // At the end, where some bits of a digit are no bits of a byte, every other digit.
      for digit in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.".utf8 where digit != good.last
      {
        #expect(verify(good.dropLast() + [digit], trusting: Self.quick).transaction == nil)
      }
    }
  }

  @Test func `It is refused at every other length`() async throws {
    try await onBlockingThread {
      let good = Array(storeKit.sign(Self.sample).utf8)
      for length in good.indices { #expect(verify(Array(good.prefix(length))).transaction == nil, "\(length)") }
      for length in good.indices.dropFirst() { #expect(verify(Array(good.dropFirst(length))).transaction == nil) }
      for end in ["=", "==", ".", "A", "AA", "AAAA", "\n", "\0", ".e30"] {
        #expect(verify(good + Array(end.utf8)).transaction == nil, "\(end)")
      }
    }
  }

  @Test(arguments: 0..<3) func `Padding, spaces and the other alphabet are refused in each part`(_ part: Int) {
    let parts = storeKit.sign(Self.sample).split(separator: ".").map(String.init)
    for change in ["=", "==", " ", "\n", "+", "/", "%3D", "é"] {
      var changed = parts
      changed[part] += change
      #expect(verify(changed.joined(separator: ".")).refusal == .malformed)
      changed[part] = change + parts[part]
      #expect(verify(changed.joined(separator: ".")).refusal == .malformed)
    }
  }

  @Test func `Random bytes are refused`() {
    var random = SeededGenerator(seed: "random transactions")
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      #expect(verify(bytes).refusal == .malformed)
      let parts = (0..<3).map { _ in StoreKitAuthority.base64URL(Array(bytes.shuffled(using: &random))) }
      #expect(verify(parts.joined(separator: ".")).transaction == nil)
    }
  }

  @Test func `What is longer than 64 KiB is not looked at`() {
    let long = String(repeating: "A", count: 100_000)
    #expect(verify(long).refusal == .malformed)
    #expect(verify(storeKit.sign(Self.sample) + long).refusal == .malformed)
    #expect(verify(Array(repeating: UInt8(ascii: "."), count: 10_000_000)).refusal == .malformed)
    #expect(verify(Array(repeating: UInt8(ascii: "."), count: 60_000)).refusal == .malformed)
    let filled = storeKit.sign(StoreKitPayload(["x": "\"" + String(repeating: "a", count: 40_000) + "\""]).json)
    #expect(filled.utf8.count < StoreKitVerifier.maximumLength)
    #expect(verify(filled).transaction != nil)
  }

  @Test func `Every class of refusal has a label of its own`() {
    #expect(Set(StoreKitRefusal.allCases.map { "\($0.label)" }).count == StoreKitRefusal.allCases.count)
  }
}
