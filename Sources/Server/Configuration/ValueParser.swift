/// Turns the text of an option into its value.
public struct ValueParser<Value: Sendable>: Sendable {
  /// Stands for the value in the help, in capitals.
  public let placeholder: String
  /// What is accepted, as the end of the sentence "expected …".
  public let expectation: String
  /// Gives the value, or says why not.
  public let parse: @Sendable (String) throws(ValueProblem) -> Value

  /// A parser that needs to tell more than what it expects.
  public init(
    _ placeholder: String, expecting expectation: String,
    explaining parse: @escaping @Sendable (String) throws(ValueProblem) -> Value
  ) {
    self.placeholder = placeholder
    self.expectation = expectation
    self.parse = parse
  }

  /// A parser that gives `nil` for what it doesn't accept.
  public init(
    _ placeholder: String, expecting expectation: String, parse: @escaping @Sendable (String) -> Value?
  ) {
    self.init(placeholder, expecting: expectation) { (text: String) throws(ValueProblem) -> Value in
      guard let value = parse(text) else { throw .unexpected }
      return value
    }
  }
}

/// Why the text of an option can't be taken.
public enum ValueProblem: Error, Equatable {
  /// It isn't what the parser expects.
  case unexpected
  /// It would be a value, but can't be used; the text says why and what to do instead, without repeating it.
  case refused(String)
}
