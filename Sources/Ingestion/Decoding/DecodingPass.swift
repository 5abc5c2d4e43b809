import AnalyticsContract

/// The state of decoding one body, and what all of its objects have in common: an object's members are taken one by one,
/// what is wrong is reported by its place, and the text is read to its end.
package protocol DecodingPass {
  /// The bytes.
  var reader: JSONReader { get set }
  /// What was found to be wrong.
  var violations: ViolationList { get set }
  /// The array of the body.
  var collection: WireMember { get }
  /// The position of the item being decoded; `nil` at the root.
  var index: Int? { get set }
  /// The members of the item whose value was reported, so that their absence isn't reported too.
  var unreadable: WireMemberSet { get set }
}

extension DecodingPass {
  /// Notes a violation of the item being decoded, or of the root.
  package mutating func report(_ rule: ViolationRule, _ member: WireMember?) {
    violations.append(Violation(rule, collection: index == nil ? nil : collection, index: index, member: member))
  }

  /// Takes the opening brace; another value is stepped over and reported.
  package mutating func beginObject() throws(JSONSyntaxError) -> Bool {
    if reader.take(UInt8(ascii: "{")) { return true }
    report(.wrongType, nil)
    try reader.skipValue()
    return false
  }

  /// Whether another member follows; otherwise takes the closing brace.
  package mutating func continues() throws(JSONSyntaxError) -> Bool {
    if reader.take(UInt8(ascii: ",")) { return true }
    try reader.expect(UInt8(ascii: "}"))
    return false
  }

  /// Takes a member's name and colon.
  /// - Returns: the member, or `nil` where this object does not have it. A second occurrence is reported here.
  package mutating func memberName(
    of members: WireMemberSet, ifNew seen: inout WireMemberSet
  ) throws(JSONSyntaxError) -> WireMember? {
    let member = ContractNames.members[try reader.text()]
    try reader.expect(UInt8(ascii: ":"))
    guard let member, members.contains(member) else { return nil }
    if !seen.insert(member) { report(.duplicateMember, member) }
    return member
  }

  /// Steps over the value of a member that this object does not have.
  package mutating func skipUnknown() throws(JSONSyntaxError) {
    report(.unknownMember, nil)
    try reader.skipValue()
  }

  /// Takes a member's text.
  /// - Returns: `nil` for `null` where that means absent, and for another type, which is reported.
  package mutating func text(_ member: WireMember, isOptional: Bool) throws(JSONSyntaxError) -> UnsafeBufferPointer<
    UInt8
  >? {
    if reader.peek() == UInt8(ascii: "\"") { return try reader.text() }
    if isOptional, try reader.takeNull() { return nil }
    unreadable.insert(member)
    report(.wrongType, member)
    try reader.skipValue()
    return nil
  }

  /// Takes a member that is a UUID other than the nil one.
  package mutating func uuid(_ member: WireMember, isOptional: Bool = false) throws(JSONSyntaxError) -> UUIDValue? {
    guard let text = try text(member, isOptional: isOptional) else { return nil }
    if let uuid = UUIDValue(text: text), !uuid.isNil { return uuid }
    unreadable.insert(member)
    report(.uuid, member)
    return nil
  }

  /// Takes a member that is a release version.
  package mutating func version(_ member: WireMember) throws(JSONSyntaxError) -> ReleaseVersion? {
    guard let text = try text(member, isOptional: true) else { return nil }
    if let version = ReleaseVersion(text) { return version }
    report(.version, member)
    return nil
  }

  /// Takes a member that is one of a closed set.
  package mutating func value<Value: CatalogValue>(
    _ member: WireMember, _ names: NameTable<Value>, isOptional: Bool = true
  ) throws(JSONSyntaxError) -> Value? {
    guard let text = try text(member, isOptional: isOptional) else { return nil }
    if let value = names[text] { return value }
    unreadable.insert(member)
    report(.unknownValue, member)
    return nil
  }

  /// Takes a member that is an instant, whatever window it lies in.
  package mutating func instant(_ member: WireMember) throws(JSONSyntaxError) -> Instant? {
    guard let text = try text(member, isOptional: false) else { return nil }
    if let instant = Instant(iso8601: text) { return instant }
    unreadable.insert(member)
    report(.timestamp, member)
    return nil
  }

  /// Takes a member that is an integer without fraction and exponent; beyond 64 bits it is the largest.
  package mutating func integer(_ member: WireMember) throws(JSONSyntaxError) -> Int64? {
    switch reader.peek() {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      switch try reader.number() {
      case .integer(let value): return value
      case .hugeInteger: return .max
      case .other: break
      }
    default: try reader.skipValue()
    }
    unreadable.insert(member)
    report(.wrongType, member)
    return nil
  }
}
