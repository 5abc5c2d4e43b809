/// PostgreSQL's five-character code for what happened, from the table "PostgreSQL Error Codes" of its manual.
///
/// It is all that is ever read of an error or notice: their messages can quote what was being stored.
public struct SQLState: Sendable, Hashable, CustomStringConvertible {
  // Five bytes of A-Z and 0-9, the first in the highest place: their alphabet leaves no room for anything else.
  private let packed: UInt64

  /// - Returns: `nil` where the text is not five characters of `A-Z 0-9`.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    let isCode = bytes.count == 5 && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    guard isCode else { return nil }
    packed = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The five characters.
  public var description: String { code(length: 5) }

  /// The first two characters, which name the class of the condition.
  public var conditionClass: String { code(length: 2) }

  private func code(length: Int) -> String {
    String(decoding: (0..<length).map { UInt8(truncatingIfNeeded: packed >> UInt64(32 - 8 * $0)) }, as: UTF8.self)
  }
}

extension SQLState: ExpressibleByStringLiteral {
  /// - Parameter value: five characters of `A-Z 0-9`; anything else in the source code is a defect.
  public init(stringLiteral value: String) { self.init(value)! }
}

/// Why PostgreSQL did not do what it was asked.
public enum PostgreSQLError: Error, Sendable, Equatable {
  /// There is no connection, or it broke. Whether the last statements were carried out is not known.
  case disconnected
  /// No answer came in time. The statement was told to stop and the connection closed; whether it was carried out is
  /// not known.
  case timedOut
  /// The server refused a statement.
  case refused(SQLState)
  /// A transaction was committed here, but its replication, which the database's settings ask for, is not certain.
  case notReplicated
}
