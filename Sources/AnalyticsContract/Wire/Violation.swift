/// A rule of the contract that a request breaks. The raw value is what the answer says.
public enum ViolationRule: String, CaseIterable, Sendable {
  /// The body is not JSON (RFC 8259) in UTF-8, or something follows it.
  case invalidJSON = "invalid_json"
  /// The body is not what its content coding says.
  case invalidGzip = "invalid_gzip"
  /// The value has another JSON type than the contract's.
  case wrongType = "wrong_type"
  /// The object has a member that the contract does not know; reported at the object's path.
  case unknownMember = "unknown_member"
  /// The object has the member twice.
  case duplicateMember = "duplicate_member"
  /// The object lacks a member that every object of its kind has.
  case missingMember = "missing_member"
  /// The batch has no item or more than the endpoint takes.
  case itemCount = "item_count"
  /// The item's type needs this member.
  case required
  /// The item's type does not allow this member, this value of it, or this surface.
  case notAllowed = "not_allowed"
  /// The text is not one of the contract's values.
  case unknownValue = "unknown_value"
  /// The text is not a UUID, or is the nil UUID.
  case uuid
  /// The text is not a UTC instant in the contract's form.
  case timestamp
  /// The text is not a calendar date.
  case date
  /// The instant or date lies before the window that is accepted.
  case tooOld = "too_old"
  /// The instant or date lies further in the future than is accepted.
  case inFuture = "in_future"
  /// The text is not a release version.
  case version
  /// The text is not 64 hexadecimal digits.
  case digest
  /// The signed transaction could not be verified.
  case notVerified = "not_verified"
  /// There is no installation identity, or not on every item.
  case identityMissing = "identity_missing"
  /// No report takes a parameter of that name.
  case unknownParameter = "unknown_parameter"
  /// The parameter is there twice.
  case duplicateParameter = "duplicate_parameter"
  /// Two identities in one batch differ.
  case identityConflict = "identity_conflict"
  /// The number lies outside its range.
  case outOfRange = "out_of_range"
  /// The four kinds of session do not sum to the number of sessions.
  case sessionKindsDoNotAddUp = "session_kinds_do_not_add_up"
  /// There are fewer characters than sessions.
  case fewerCharactersThanSessions = "fewer_characters_than_sessions"

  /// Whether the request has the wrong structure (400) rather than a value outside the contract (422).
  public var isStructural: Bool {
    switch self {
    case .invalidJSON, .invalidGzip, .wrongType, .unknownMember, .duplicateMember, .missingMember, .itemCount: true
    default: false
    }
  }
}

/// Where a request breaks which rule. It is built from names and numbers of the contract alone, so that it can't repeat
/// a byte of what the client sent.
public struct Violation: Sendable, Hashable {
  /// The array of the batch, where the violation is in it.
  public var collection: WireMember?
  /// The position in the array, from 0.
  public var index: Int?
  /// The member of the item, or of the root where `collection` is `nil`.
  public var member: WireMember?
  /// What is broken.
  public var rule: ViolationRule

  /// - Parameters:
  ///   - rule: what is broken.
  ///   - collection: the array of the batch, where the violation is in it.
  ///   - index: the position in the array, from 0.
  ///   - member: the member of the item, or of the root where `collection` is `nil`.
  public init(_ rule: ViolationRule, collection: WireMember? = nil, index: Int? = nil, member: WireMember? = nil) {
    self.rule = rule
    self.collection = collection
    self.index = index
    self.member = member
  }

  /// The place as a JSON pointer (RFC 6901); the root is the empty text.
  public var path: String {
    var path = ""
    if let collection { path += "/\(collection.wireName)" }
    if let index { path += "/\(index)" }
    if let member { path += "/\(member.wireName)" }
    return path
  }
}
