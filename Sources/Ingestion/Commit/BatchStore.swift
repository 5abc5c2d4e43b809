import AnalyticsContract

/// The access token that came with a batch, without the token.
public struct AccessToken: Sendable, Hashable, Redacted {
  /// The token's digest: by it a session is looked up, or found revoked.
  public let digest: Digest
  /// The account that the token states, where it is one that states its account and was verified. It is a session then
  /// for as long as the account exists and the token is not revoked.
  public let account: UUIDValue?
  /// The digest of the other spelling of a verified token, which is revoked with it; the token's own where it has none.
  public let twin: Digest

  /// - Parameters:
  ///   - digest: the token's digest.
  ///   - account: the account that a verified token states; `nil`: the session is looked up by the digest.
  ///   - twin: the digest of the other spelling of a verified token, where it has one.
  public init(digest: Digest, account: UUIDValue? = nil, twin: Digest? = nil) {
    self.digest = digest
    self.account = account
    self.twin = twin ?? digest
  }
}

/// A valid batch on its way into the store. The installation's identifier has become a digest.
public struct Submission: Sendable, Redacted {
  /// Whose items they are.
  public let installation: Digest
  /// The items.
  public let items: BatchItems
  /// The access token that came with the batch.
  public let session: AccessToken?
  /// The server's clock when the batch was judged.
  public let receivedAt: Instant

  /// - Parameters:
  ///   - installation: whose items they are.
  ///   - items: 1 to 50 valid items.
  ///   - session: the access token that came with the batch.
  ///   - receivedAt: the server's clock when the batch was judged.
  public init(installation: Digest, items: BatchItems, session: AccessToken?, receivedAt: Instant) {
    self.installation = installation
    self.items = items
    self.session = session
    self.receivedAt = receivedAt
  }
}

/// What became of a batch once its group was durable.
public enum CommitOutcome: Sendable, Equatable {
  /// All of it is stored: this many items by this batch, this many by earlier ones.
  case stored(accepted: Int, replayed: Int)
  /// The session does not exist, has expired or was revoked; nothing of the batch is stored.
  case unauthorized
  /// The batch contradicts what is stored; nothing of it is stored.
  case conflict
}

/// Why a store could not do its work.
public enum StoreFailure: Error, Sendable, Equatable {
  /// The database can't be written or read now: full, locked, gone, failing. It may work later.
  case unavailable(StoreFailureReason)
  /// Something that should not happen. Trying the same again will fail again.
  case defect
}

extension StoreFailure {
  /// Whether a single batch may be the cause: a statement that the database refuses, or a damaged page that only its
  /// installation is on. The rest of its group must not suffer.
  var mayConcernOneBatch: Bool {
    self == .defect || self == .unavailable(.corrupt) || self == .unavailable(.inputOutput)
  }
}

/// The class of a database failure, for metrics and logs.
public enum StoreFailureReason: Sendable, CaseIterable {
  /// There is no room on the disk.
  case full
  /// Someone else holds the database, or what is needed of it, for too long.
  case busy
  /// The disk or its file system fails.
  case inputOutput
  /// The file can't be opened or written, or the database's role may not.
  case inaccessible
  /// The database is damaged.
  case corrupt
  /// There is no connection to the database server.
  case disconnected
  /// The database server has no more of something else: memory, connections, locks.
  case exhausted

  /// The label.
  public var label: StaticString {
    switch self {
    case .full: "full"
    case .busy: "busy"
    case .inputOutput: "io"
    case .inaccessible: "inaccessible"
    case .corrupt: "corrupt"
    case .disconnected: "disconnected"
    case .exhausted: "exhausted"
    }
  }
}

/// What ingestion needs of a database. Calls may block for as long as a transaction takes, on threads of the store's own.
public protocol BatchStore: Sendable {
  /// Commits a group of batches in one durable transaction. Each succeeds or fails on its own.
  /// - Parameters:
  ///   - group: batches of different installations.
  ///   - counts: what to add to the totals of days in the same transaction.
  /// - Returns: an outcome for each batch, in order, after the transaction is durable.
  /// - Throws: when nothing of the group was stored.
  func commit(_ group: [Submission], counts: DayCounts) async throws(StoreFailure) -> [CommitOutcome]

  /// Whether a token is that of a session which is valid at an instant.
  func isValidSession(_ token: AccessToken, at instant: Instant) async throws(StoreFailure) -> Bool
}
