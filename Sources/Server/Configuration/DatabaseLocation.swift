/// Where the data is kept.
public enum DatabaseLocation: Equatable, Sendable {
  /// An SQLite file; the path may be relative to the working directory.
  case sqlite(path: String)
}

extension ValueParser where Value == DatabaseLocation {
  /// `sqlite:PATH`. A database that only lives in memory is refused: each connection would see one of its own.
  public static let database = ValueParser("LOCATION", expecting: "sqlite: and the path of a file") {
    (text: String) throws(ValueProblem) in
    if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      throw .refused("PostgreSQL is not supported by this build yet; expected sqlite: and the path of a file")
    }
    guard text.hasPrefix("sqlite:") else { throw .unexpected }
    let path = String(text.dropFirst("sqlite:".count))
    guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else { throw .unexpected }
    return .sqlite(path: path)
  }
}
