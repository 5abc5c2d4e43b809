import AnalyticsContract
import ServerFacts
import TestSupport
import Testing

/// Which certificates are believed.
@Suite struct StoreKitChains {
  private static let sample = StoreKitPayload().json

  /// The refusal of an authority's sample by a verifier that trusts it.
  private func refusal(_ authority: StoreKitAuthority, signedAt: Instant? = nil) -> StoreKitRefusal? {
    var payload = StoreKitPayload()
    if let signedAt { payload.members["signedDate"] = "\(signedAt.microseconds / 1000)" }
    return verify(authority.sign(payload.json), trusting: authority).refusal
  }

  @Test func `Apple's root is the default`() {
    let verifier = StoreKitVerifier(.init(bundleIDs: [StoreKitPayload.bundleID]))
    let jws = Array(storeKit.sign(Self.sample).utf8)
    #expect(throws: StoreKitRefusal.root) { try jws.withUnsafeBufferPointer { _ = try verifier.verify($0) } }
    let first: [UInt8] = [0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03]
    StoreKitVerifier.Configuration.appleRootFingerprint.withUnsafeBytes { #expect(Array($0.prefix(8)) == first) }
  }

  @Test func `A chain is judged at the time of signing, not today`() {
    // The sample is from 2023, and its certificates were valid for a day before and after.
    let signedAt = StoreKitAuthority.signedAt
    #expect(verify(storeKit.sign(Self.sample)).transaction != nil)
    #expect(refusal(storeKit, signedAt: signedAt.advanced(bySeconds: 86_399)) == nil)
    #expect(refusal(storeKit, signedAt: signedAt.advanced(bySeconds: -86_399)) == nil)
    #expect(refusal(storeKit, signedAt: signedAt.advanced(bySeconds: 86_402)) == .chain)
    #expect(refusal(storeKit, signedAt: signedAt.advanced(bySeconds: -86_402)) == .chain)
  }

  @Test(arguments: 0..<3) func `Each certificate must have been valid`(_ position: Int) {
    let changes: [(inout StoreKitAuthority.Certificate) -> Void] = [
      { $0.validUntil = StoreKitAuthority.signedAt.advanced(bySeconds: -60) },
      { $0.validFrom = StoreKitAuthority.signedAt.advanced(bySeconds: 60) },
    ]
    for change in changes {
      let authority = StoreKitAuthority(
        root: position == 0 ? .root.with(change) : .root,
        intermediate: position == 1 ? .intermediate.with(change) : .intermediate,
        leaf: position == 2 ? .leaf.with(change) : .leaf)
      #expect(refusal(authority) == .chain)
    }
  }

  @Test func `A root that is not configured is refused, whatever it is called`() {
    #expect(verify(StoreKitAuthority().sign(Self.sample)).refusal == .root)
  }

  @Test func `Certificates of two authorities are no chain, whoever signed`() {
    let other = StoreKitAuthority()
    let (leaf, intermediate, root) = (storeKit.certificates[0], storeKit.certificates[1], storeKit.certificates[2])
    for chain in [
      [other.certificates[0], intermediate, root], [other.certificates[0], other.certificates[1], root],
      [leaf, other.certificates[1], root],
    ] {
      for signer in [storeKit, other] {
        #expect(verify(signer.sign(Self.sample, header: signer.header(certificates: chain))).refusal == .chain)
      }
    }
    // The chain is right and the signature another's.
    let foreign = other.sign(Self.sample, header: storeKit.header())
    #expect(verify(foreign).refusal == .signature)
  }

  @Test func `Certificates in another order are refused`() {
    for order in [[1, 0, 2], [0, 2, 1], [2, 1, 0], [0, 0, 2], [0, 2, 2], [2, 2, 2], [0, 1, 1]] {
      let header = storeKit.header(certificates: order.map { storeKit.certificates[$0] })
      #expect(verify(storeKit.sign(Self.sample, header: header)).transaction == nil)
    }
  }

  @Test func `An intermediate that is no authority is refused`() {
    for constraints in ["critical,CA:FALSE", nil] {
      for usage in ["critical,keyCertSign", nil] {
        let intermediate = StoreKitAuthority.Certificate.intermediate.with {
          $0.constraints = constraints
          $0.usage = usage
        }
        #expect(refusal(StoreKitAuthority(intermediate: intermediate)) == .chain)
      }
    }
    let intermediate = StoreKitAuthority.Certificate.intermediate.with { $0.usage = "critical,digitalSignature" }
    #expect(refusal(StoreKitAuthority(intermediate: intermediate)) == .chain)
  }

  @Test func `A root that is no authority or allows no intermediate is refused`() {
    let leaf = StoreKitAuthority.Certificate.root.with { $0.constraints = "critical,CA:FALSE" }
    #expect(refusal(StoreKitAuthority(root: leaf)) == .chain)
    let short = StoreKitAuthority.Certificate.root.with { $0.constraints = "critical,CA:TRUE,pathlen:0" }
    #expect(refusal(StoreKitAuthority(root: short)) == .chain)
  }

  @Test func `A leaf that the root issued itself is refused beside an intermediate that did not`() {
    #expect(refusal(StoreKitAuthority(leafIssuedByRoot: true)) == .chain)
  }

  @Test func `A certificate without its own mark is refused`() {
    let (leafMark, intermediateMark) = (
      StoreKitAuthority.Certificate.leaf.marks, StoreKitAuthority.Certificate.intermediate.marks
    )
    for marks in [[], intermediateMark, ["1.2.840.113635.100.6.11"]] {
      #expect(refusal(StoreKitAuthority(leaf: .leaf.with { $0.marks = marks })) == .mark)
    }
    for marks in [[], leafMark, ["1.2.840.113635.100.6.2.14"]] {
      #expect(refusal(StoreKitAuthority(intermediate: .intermediate.with { $0.marks = marks })) == .mark)
    }
    let both = StoreKitAuthority(
      intermediate: .intermediate.with { $0.marks = leafMark + intermediateMark },
      leaf: .leaf.with { $0.marks = intermediateMark + leafMark })
    #expect(refusal(both) == nil)
  }

  @Test(arguments: ["P-384", "secp256k1", "RSA"]) func `A leaf with another key is refused`(_ key: String) {
    #expect(refusal(StoreKitAuthority(leaf: .leaf.with { $0.key = key })) == .key)
  }

  @Test func `A leaf whose key may not sign is refused`() {
    #expect(refusal(StoreKitAuthority(leaf: .leaf.with { $0.usage = "critical,keyAgreement" })) == .key)
    #expect(refusal(StoreKitAuthority(leaf: .leaf.with { $0.usage = nil })) == nil)
  }

  @Test func `Authorities with keys of RSA or P-256 are fine`() {
    let rsa = StoreKitAuthority(
      root: .root.with { $0.key = "RSA" }, intermediate: .intermediate.with { $0.key = "RSA" })
    #expect(refusal(rsa) == nil)
  }
}
