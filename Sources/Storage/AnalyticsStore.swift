import Ingestion
import Reporting
import ServerFacts

/// Why a database is opened.
public enum StoreRole: Sendable {
  /// To serve. An embedded database is refused while another server has it.
  case server
  /// For a command that creates the database or brings its schema up to date, also beside a running server.
  case migration
  /// For a command, also beside a running server: refused where there is no database yet.
  case command
  /// For a command that must be alone with an embedded database: refused while a server has it, and where there is none.
  case exclusiveCommand

  /// Whether a missing database is created.
  var creates: Bool { self == .server || self == .migration }

  /// Whether no other process may have an embedded database in one of these roles.
  var isAlone: Bool { self == .server || self == .exclusiveCommand }
}

/// A database with everything that the system keeps in one.
public protocol AnalyticsStore: BatchStore, CredentialStore, FactStore, InvitationStore, RetentionStore, CheckStore,
  ReportStore
{
  /// The schema versions that opening brought the database to; empty where it was current.
  var appliedMigrations: [Int64] { get }

  /// How many groups of batches it can commit side by side.
  var groupsInFlight: Int { get }

  /// Makes sure that the database can be read and written now.
  /// - Throws: ``StoreFailure`` where it can't.
  func probe() async throws(StoreFailure)

  /// Ends all work with the database, after everything else has ended.
  func close() async
}
