import AnalyticsContract

/// One step of the schema. Steps are only ever added: a database remembers the checksum of each that it has taken.
struct Migration: Sendable {
  /// The schema's version after the step; the first is 1.
  let version: Int64
  /// What it is for, in a few words joined by hyphens.
  let name: String
  /// The statements.
  let sql: String

  /// SHA-256 over the statements.
  var checksum: Digest { Digest(hashing: sql) }

  /// All steps, in order.
  static let all = [ingestion]
}
