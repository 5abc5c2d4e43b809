import AnalyticsContract

/// Finds whose batch it is from the identities at the root and in the items, in whatever order they come
/// (WIRE: "Identity").
struct IdentityResolution {
  /// How many items the batch has.
  var itemCount = 0
  /// Whether an identity was malformed: that is reported already, and its absence would only repeat it.
  var hasMalformed = false
  private var root: UUIDValue?
  private var items: [(index: Int, uuid: UUIDValue)] = []

  mutating func root(_ uuid: UUIDValue) { root = uuid }

  /// Notes an item's identity; items come in order.
  mutating func item(_ uuid: UUIDValue, at index: Int) { items.append((index, uuid)) }

  /// The installation, or `nil` after reporting why there is none.
  func resolve(collection: WireMember, into violations: inout ViolationList) -> InstallationID? {
    func report(_ rule: ViolationRule, at index: Int?) {
      let place = index == nil ? nil : collection
      violations.append(Violation(rule, collection: place, index: index, member: .installationId))
    }
    guard let identity = root ?? items.first?.uuid else {
      if itemCount > 0, !hasMalformed { report(.identityMissing, at: nil) }
      return nil
    }
    if let conflict = items.first(where: { $0.uuid != identity }) { report(.identityConflict, at: conflict.index) }
    if root == nil, items.count < itemCount, !hasMalformed {
      let missing = items.enumerated().first { $0.offset != $0.element.index }?.offset ?? items.count
      report(.identityMissing, at: missing)
    }
    return InstallationID(identity)
  }
}
