import AnalyticsContract

/// A view for tools that know nothing of codes, days since 1970 and microseconds: names, dates and timestamps, and no
/// column that tells installations, accounts or people apart.
///
/// One description makes the statements of both databases, so that the same query reads either.
struct ToolView: Sendable {
  /// The name, which begins with `v_`.
  let name: String
  /// Where its rows come from: a table, or a subquery that both databases understand.
  let source: String
  let columns: [Column]

  struct Column: Sendable {
    let name: String
    let value: Value

    init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// What a column shows. The texts are columns of the source.
  enum Value: Sendable {
    /// The column as it is.
    case stored(String)
    /// A text in which an empty one stands for absent.
    case text(String)
    /// The name of a code; absent for 0.
    case name(String, CodeNames)
    /// The date of a day.
    case date(String)
    /// The Monday of the week that a day is in.
    case week(String)
    /// The UTC date of an instant.
    case dateOfInstant(String)
    /// The Monday of the UTC week that an instant is in.
    case weekOfInstant(String)
    /// An instant, cut to so many seconds.
    case instant(String, seconds: Int)
    /// An amount in thousandths.
    case money(String)
  }

  enum Dialect: Sendable {
    case sqlite
    case postgreSQL
  }

  /// The statements that make some views, or replace those of an earlier version.
  ///
  /// On PostgreSQL a view is replaced in place, which keeps the rights that roles have to it, and needs the columns to
  /// be the same, in order, with new ones after them. On SQLite, mind that a step that drops or renames a table that a
  /// view reads has to drop the view first and make it again.
  static func script(_ views: [ToolView], _ dialect: Dialect) -> String {
    views.map { view in
      let columns = view.columns.map { "  \($0.value.expression(dialect)) AS \($0.name)" }.joined(separator: ",\n")
      let head =
        switch dialect {
        case .sqlite: "DROP VIEW IF EXISTS \(view.name);\nCREATE VIEW \(view.name) AS"
        case .postgreSQL: "CREATE OR REPLACE VIEW \(view.name) AS"
        }
      return "\(head) SELECT\n\(columns)\nFROM \(view.source);"
    }.joined(separator: "\n")
  }
}

extension ToolView.Column {
  /// A column under its own name.
  static func stored(_ name: String) -> Self { Self(name, .stored(name)) }

  /// A version.
  static func version(_ name: String) -> Self { Self(name, .text(name)) }

  /// The name of a code under the column's own name.
  static func name(_ name: String, _ names: CodeNames) -> Self { Self(name, .name(name, names)) }

  /// The day of a total, and its week.
  static var dayAndWeek: [Self] { [Self("day", .date("day")), Self("week", .week("day"))] }
}

extension ToolView.Value {
  fileprivate func expression(_ dialect: ToolView.Dialect) -> String {
    switch self {
    case .stored(let column): column
    case .text(let column): "nullif(\(column), '')"
    case .name(let column, let names):
      "CASE \(column) "
        + names.names.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN '\($0.value)' " }.joined() + "END"
    case .date(let day): Self.date(day, dialect)
    case .week(let day): Self.date(Self.monday(day), dialect)
    case .dateOfInstant(let instant): Self.date(Self.day(instant), dialect)
    case .weekOfInstant(let instant): Self.date(Self.monday(Self.day(instant)), dialect)
    case .instant(let instant, let seconds): Self.timestamp(instant, seconds, dialect)
    case .money(let thousandths):
      switch dialect {
      case .sqlite: "\(thousandths) / 1000.0"
      case .postgreSQL: "CAST(\(thousandths) / 1000.0 AS numeric(20, 3))"
      }
    }
  }

  private static func day(_ instant: String) -> String { "\(instant) / \(CalendarDay.microseconds)" }

  /// Day 0 was a Thursday.
  private static func monday(_ day: String) -> String { "\(day) - (\(day) + 3) % 7" }

  private static func date(_ day: String, _ dialect: ToolView.Dialect) -> String {
    switch dialect {
    case .sqlite: "date((\(day)) * 86400, 'unixepoch')"
    case .postgreSQL: "date '1970-01-01' + CAST(\(day) AS integer)"
    }
  }

  private static func timestamp(_ instant: String, _ seconds: Int, _ dialect: ToolView.Dialect) -> String {
    let whole =
      seconds == 1 ? "\(instant) / 1000000" : "\(instant) / \(seconds * 1_000_000) * \(seconds)"
    return switch dialect {
    case .sqlite: "strftime('%Y-%m-%dT%H:%M:%SZ', \(whole), 'unixepoch')"
    case .postgreSQL: "to_timestamp(\(whole))"
    }
  }
}
