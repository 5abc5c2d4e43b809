import AnalyticsContract
import Ingestion

/// Turns the bytes of a request body into facts in one pass, as strictly as batches are read, or says what they break.
public struct FactDecoder: Sendable {
  /// Verifies the signed transaction of a fact.
  public typealias Verifier =
    @Sendable (UnsafeBufferPointer<UInt8>) throws(StoreKitRefusal) -> StoreKitTransaction

  private let now: Instant
  private let verify: Verifier

  /// - Parameters:
  ///   - now: the server's clock: what lies further in the future than a clock may be wrong is refused.
  ///   - verify: verifies a signed transaction.
  public init(at now: Instant, verify: @escaping Verifier) {
    self.now = now
    self.verify = verify
  }

  /// Decodes and validates a body. Verifying signed transactions takes about a millisecond each.
  /// - Parameter body: the inflated bytes.
  /// - Returns: 1 to 500 facts, in order.
  /// - Throws: ``BatchRejection`` with everything that was found.
  public func decode(_ body: [UInt8]) throws(BatchRejection) -> [Fact] {
    let result = body.withUnsafeBufferPointer { body in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONReader.scratchCapacity) { scratch in
        var pass = FactDecodingPass(reader: JSONReader(body, scratch: scratch), now: now, verify: verify)
        return pass.run()
      }
    }
    return try result.get()
  }
}

/// The state of decoding one body.
private struct FactDecodingPass: DecodingPass {
  var reader: JSONReader
  var violations = ViolationList()
  var index: Int?
  var unreadable = WireMemberSet()
  private let latest: Instant
  private let verify: FactDecoder.Verifier
  private var facts: [Fact] = []

  var collection: WireMember { .facts }

  init(reader: JSONReader, now: Instant, verify: @escaping FactDecoder.Verifier) {
    self.reader = reader
    self.verify = verify
    latest = now.advanced(bySeconds: ContractLimits.maximumLeadSeconds)
  }

  mutating func run() -> Result<[Fact], BatchRejection> {
    do throws(JSONSyntaxError) {
      try decodeRoot()
      try reader.expectEnd()
    } catch {
      // What was found before is no more certain than where the text stopped making sense.
      violations = ViolationList()
      index = nil
      report(.invalidJSON, nil)
    }
    return violations.isEmpty ? .success(facts) : .failure(violations.rejection)
  }

  private mutating func decodeRoot() throws(JSONSyntaxError) {
    guard try beginObject() else { return }
    let members = WireMemberSet([.facts])
    var seen = WireMemberSet()
    var more = !reader.take(UInt8(ascii: "}"))
    while more {
      if try memberName(of: members, ifNew: &seen) == .facts { try decodeFacts() } else { try skipUnknown() }
      more = try continues()
    }
    if !seen.contains(.facts) { report(.missingMember, .facts) }
  }

  private mutating func decodeFacts() throws(JSONSyntaxError) {
    guard reader.take(UInt8(ascii: "[")) else {
      report(.wrongType, .facts)
      return try reader.skipValue()
    }
    var count = 0
    if !reader.take(UInt8(ascii: "]")) {
      repeat {
        if count < FactLimits.maximumFacts {
          index = count
          try decodeFact()
        } else {
          try reader.skipValue()
        }
        count += 1
      } while reader.take(UInt8(ascii: ","))
      try reader.expect(UInt8(ascii: "]"))
    }
    index = nil
    if !(1...FactLimits.maximumFacts).contains(count) { report(.itemCount, .facts) }
  }

  private mutating func decodeFact() throws(JSONSyntaxError) {
    guard try beginObject() else { return }
    var seen = WireMemberSet()
    unreadable = WireMemberSet()
    var values = FactValues()
    var more = !reader.take(UInt8(ascii: "}"))
    while more {
      let member = try memberName(of: FactValues.members, ifNew: &seen)
      if let member { try take(member, into: &values) } else { try skipUnknown() }
      more = try continues()
    }
    for member in FactValues.everyFactHas where !seen.contains(member) { report(.missingMember, member) }
    // Where there is no type, the reason has been reported.
    guard let type = values.type else { return }
    for member in FactValues.typesHave {
      switch (type.members.contains(member), seen.contains(member)) {
      case (true, false): report(.required, member)
      case (false, true): if !unreadable.contains(member) { report(.notAllowed, member) }
      default: break
      }
    }
    guard violations.isEmpty, let id = values.id, let occurredAt = values.occurredAt, let kind = values.kind else {
      return
    }
    facts.append(Fact(id: id, occurredAt: occurredAt, kind: kind))
  }

  private mutating func take(_ member: WireMember, into values: inout FactValues) throws(JSONSyntaxError) {
    switch member {
    case .factId: values.id = try uuid(member)
    case .type: values.type = try value(member, FactValues.types, isOptional: false)
    case .occurredAt: values.occurredAt = try occurredAt()
    case .accountId: values.account = try uuid(member)
    case .tokenDigest: values.token = try digest(member)
    case .expiresAt: values.expiresAt = try instant(member)
    case .settlementId: values.settlement = try uuid(member)
    case .feature: values.feature = try value(member, ContractNames.features, isOptional: false)
    case .credits: values.credits = try credits()
    case .signedTransaction: values.transaction = try transaction()
    case .codeDigest: values.code = try digest(member)
    case .referralId: values.referral = try uuid(member)
    case .inviterAccountId: values.inviter = try uuid(member)
    case .inviteeAccountId: values.invitee = try uuid(member)
    default: try skipUnknown()
    }
  }

  private mutating func occurredAt() throws(JSONSyntaxError) -> Instant? {
    guard let instant = try instant(.occurredAt) else { return nil }
    if instant <= latest { return instant }
    report(.inFuture, .occurredAt)
    return nil
  }

  private mutating func digest(_ member: WireMember) throws(JSONSyntaxError) -> Digest? {
    guard let text = try text(member, isOptional: false) else { return nil }
    if let digest = Digest(hexadecimal: text) { return digest }
    unreadable.insert(member)
    report(.digest, member)
    return nil
  }

  private mutating func credits() throws(JSONSyntaxError) -> Int64? {
    guard let credits = try integer(.credits) else { return nil }
    if FactLimits.credits.contains(credits) { return credits }
    unreadable.insert(.credits)
    report(.outOfRange, .credits)
    return nil
  }

  private mutating func transaction() throws(JSONSyntaxError) -> StoreKitTransaction? {
    guard let text = try text(.signedTransaction, isOptional: false) else { return nil }
    do throws(StoreKitRefusal) { return try verify(text) } catch {
      unreadable.insert(.signedTransaction)
      report(.notVerified, .signedTransaction)
      return nil
    }
  }
}

/// The members of a fact as they are read, in whatever order they come.
private struct FactValues {
  var id: UUIDValue?
  var type: FactType?
  var occurredAt: Instant?
  var account: UUIDValue?
  var token: Digest?
  var expiresAt: Instant?
  var settlement: UUIDValue?
  var feature: Feature?
  var credits: Int64?
  var transaction: StoreKitTransaction?
  var code: Digest?
  var referral: UUIDValue?
  var inviter: UUIDValue?
  var invitee: UUIDValue?

  static let types = NameTable<FactType>()
  static let everyFactHas: [WireMember] = [.factId, .type, .occurredAt]
  static let typesHave = WireMember.allCases.filter { member in
    FactType.allCases.contains { $0.members.contains(member) }
  }
  static let members = WireMemberSet(everyFactHas + typesHave)

  /// What happened; `nil` where a member of the type is missing or unreadable, which has been reported.
  var kind: FactKind? {
    switch type {
    case nil: nil
    case .accountCreated: account.map { .accountCreated(account: $0) }
    case .accountDeleted: account.map { .accountDeleted(account: $0) }
    case .sessionIssued: sessionIssued
    case .sessionRevoked: token.map { .sessionRevoked(token: $0) }
    case .creditsSettled: creditsSettled
    case .storeKitTransaction: transaction.map { .storeKitTransaction($0) }
    case .referralCodeIssued: referralCodeIssued
    case .referralCodeRevoked: code.map { .referralCodeRevoked(code: $0) }
    case .referralBound: referralBound
    case .referralQualified: referral.map { .referralQualified(referral: $0) }
    case .referralRewarded: referralRewarded
    }
  }

  private var sessionIssued: FactKind? {
    guard let account, let token, let expiresAt else { return nil }
    return .sessionIssued(account: account, token: token, expiresAt: expiresAt)
  }

  private var creditsSettled: FactKind? {
    guard let account, let settlement, let feature, let credits else { return nil }
    return .creditsSettled(account: account, settlement: settlement, feature: feature, credits: credits)
  }

  private var referralCodeIssued: FactKind? {
    guard let account, let code else { return nil }
    return .referralCodeIssued(account: account, code: code)
  }

  private var referralBound: FactKind? {
    guard let referral, let inviter, let invitee else { return nil }
    return .referralBound(referral: referral, inviter: inviter, invitee: invitee)
  }

  private var referralRewarded: FactKind? {
    guard let referral, let credits else { return nil }
    return .referralRewarded(referral: referral, credits: credits)
  }
}
