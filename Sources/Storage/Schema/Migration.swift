import AnalyticsContract

/// One step of the schema, in the dialects of both databases. Steps are only ever added: a database remembers the
/// checksum of each that it has taken.
struct Migration: Sendable {
  /// The schema's version after the step; the first is 1.
  let version: Int64
  /// What it is for, in a few words joined by hyphens.
  let name: String
  /// The statements for SQLite.
  let sqlite: String
  /// The statements for PostgreSQL.
  let postgreSQL: String

  /// All steps, in order.
  static let all = [
    Migration(version: 1, name: "ingestion", sqlite: ingestionOnSQLite, postgreSQL: ingestionOnPostgreSQL),
    Migration(version: 2, name: "facts", sqlite: factsOnSQLite, postgreSQL: factsOnPostgreSQL),
    Migration(version: 3, name: "installation-sets", sqlite: setsOnSQLite, postgreSQL: setsOnPostgreSQL),
    Migration(version: 4, name: "views", sqlite: viewsOnSQLite, postgreSQL: viewsOnPostgreSQL),
  ]

  // Made from descriptions, and nevertheless never other than they were: a test holds their checksums. Views with other
  // columns or names are made by a later step, from a description of its own where the old ones would change.
  private static let viewsOnSQLite = ToolView.script(ToolView.all(.first), .sqlite)
  private static let viewsOnPostgreSQL = ToolView.script(ToolView.all(.first), .postgreSQL)

  /// Whether steps that were taken brought the sets of installations to a database that had events already.
  static func makesSetsOfOldEvents(_ applied: [Int64]) -> Bool { applied.contains(3) && !applied.contains(1) }

  /// The version that this program works with.
  static let current = all.last!.version
}
