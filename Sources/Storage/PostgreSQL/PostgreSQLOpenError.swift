import PostgreSQL

/// Why a PostgreSQL database can't be used. The text tells the operator what to do.
public enum PostgreSQLOpenError: Error, Equatable, CustomStringConvertible {
  /// No connection can be made, with the reason in libpq's words.
  case unreachable(String)
  /// The server's major version is not supported.
  case tooOld(Int)
  /// There is no schema, or not this program's version of it, and the command does not create one.
  case missing
  /// The role may not do what is needed.
  case notPermitted
  /// The schema of our name holds something else.
  case foreign
  /// The schema was made by a newer version of this program.
  case newerThanProgram(databaseVersion: Int64, programVersion: Int64)
  /// A migration that the database has taken is not the one that this program knows.
  case differentMigration(Int64)
  /// There is no such role to grant anything to.
  case noSuchRole(String)
  /// Any other failure.
  case failed(SQLState)

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .unreachable(let reason):
      "The database can't be reached: \(reason). Check the address in --database and that PostgreSQL accepts connections."
    case .tooOld(let version): "The database runs PostgreSQL \(version); 15 or newer is needed."
    case .missing:
      "The database has no schema of this version of osg-analytics. Run `osg-analytics migrate` with a role that may "
        + "create one."
    case .notPermitted:
      "The role in --database may not do this. Run `osg-analytics migrate --server-role NAME` as the owner of the database: "
        + "it brings the schema up to date and lets the role NAME serve."
    case .foreign:
      "The database has a schema \(PostgreSQLSchema.name) that is not ours. Name another database; it was left untouched."
    case .newerThanProgram(let database, let program):
      "The database has schema version \(database), this program knows versions up to \(program). "
        + "Install the newer osg-analytics that wrote it; the database was left untouched."
    case .differentMigration(let version):
      "The database took another migration \(version) than this program has. "
        + "It was made by a different build: use that build, or restore a backup."
    case .noSuchRole(let role): "The database has no role \(role). Create it first; docs/OPERATIONS.md shows how."
    case .failed(let state):
      "The database refused a statement (SQLSTATE \(state)). The PostgreSQL manual lists the codes in its appendix A."
    }
  }
}

extension PostgreSQLOpenError {
  init(_ error: PostgreSQLError) {
    switch error {
    case .refused("42501"): self = .notPermitted
    // A table of ours without a column of ours.
    case .refused("42703"): self = .foreign
    case .refused(let state): self = .failed(state)
    case .disconnected, .timedOut, .notReplicated: self = .unreachable("the connection was lost")
    }
  }
}
