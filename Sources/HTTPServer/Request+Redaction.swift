// A request holds tokens, identifiers and whatever else a client sends: printing one must not be a leak.

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type's name alone.
  public var description: String { "Request" }
  /// The type's name alone.
  public var debugDescription: String { description }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RequestHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type's name alone.
  public var description: String { "RequestHead" }
  /// The type's name alone.
  public var debugDescription: String { description }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type's name alone.
  public var description: String { "RequestBody" }
  /// The type's name alone.
  public var debugDescription: String { description }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
