/// One event or summary on its way into a body: its members as JSON text, so that a test can write wrong ones too.
public struct WireItem: Sendable {
  /// The members' values as JSON text, by name.
  public var members: [String: String] = [:]

  /// An item without members.
  public init() {}

  /// A member's value as a JSON string. Setting nil removes the member. The text must need no escapes.
  public subscript(name: String) -> String? {
    get { members[name].map { String($0.dropFirst().dropLast()) } }
    set { members[name] = newValue.map { "\"\($0)\"" } }
  }

  /// Sets a member to any JSON text.
  public mutating func set(_ name: String, json: String) { members[name] = json }

  /// A copy with one string member changed; nil removes it.
  public func with(_ name: String, _ value: String?) -> WireItem {
    var copy = self
    copy[name] = value
    return copy
  }

  /// A copy with one member changed to any JSON text.
  public func with(_ name: String, json: String) -> WireItem {
    var copy = self
    copy.set(name, json: json)
    return copy
  }

  /// The item as canonical JSON: sorted members, no white space.
  public var json: String {
    "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }
}

/// The two forms in which clients in the field name the installation.
public enum TransportForm: Sendable, CaseIterable {
  /// Once, at the root.
  case root
  /// In every item; released clients.
  case legacy
}

/// The items of one upload.
public struct WireBatch: Sendable {
  /// What the items are.
  public enum Kind: String, Sendable {
    /// Product events.
    case events
    /// Keyboard usage summaries.
    case summaries
  }

  /// What the items are.
  public var kind: Kind
  /// The installation, as the root names it.
  public var installation: String
  /// The events or summaries.
  public var items: [WireItem]

  /// A batch of these items.
  public init(_ kind: Kind, installation: String, items: [WireItem]) {
    self.kind = kind
    self.installation = installation
    self.items = items
  }

  /// The path that takes such a batch.
  public var path: String {
    kind == .events ? "/v1/analytics/events" : "/v1/analytics/keyboard-usage"
  }

  /// The body in one of the two forms.
  public func json(_ form: TransportForm = .root) -> String {
    switch form {
    case .root:
      let list = items.map(\.json).joined(separator: ",")
      return "{\"\(kind.rawValue)\":[\(list)],\"installationId\":\"\(installation)\"}"
    case .legacy:
      let list = items.map { $0.with("installationId", installation.uppercased()).json }.joined(separator: ",")
      return "{\"\(kind.rawValue)\":[\(list)]}"
    }
  }

  /// The bytes of ``json(_:)``.
  public func body(_ form: TransportForm = .root) -> [UInt8] { Array(json(form).utf8) }
}
