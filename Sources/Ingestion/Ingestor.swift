import AnalyticsContract

/// The credential that came with a request to an ingestion endpoint.
public enum IngestionCredential: Sendable, Redacted {
  /// None: the batch is anonymous.
  case absent
  /// Something that can't be an access token.
  case malformed
  /// A bearer token.
  case bearer(AccessToken)
}

/// The answer to a request to an ingestion endpoint.
public enum IngestionAnswer: Sendable, Equatable {
  /// 200, with the counts.
  case stored(accepted: Int, replayed: Int)
  /// An error, with what the body breaks where it is the body's fault.
  case refused(ErrorCode, [Violation])
}

/// Takes a request's body from bytes to a durable batch, and decides the answer. Credentials are judged before the
/// body, whatever the body is.
public struct Ingestor: Sendable {
  private let store: any BatchStore
  private let committer: GroupCommitter
  private let clock: UTCClock

  /// - Parameters:
  ///   - store: where sessions are looked up for bodies that get no further.
  ///   - committer: where valid batches go.
  ///   - clock: the server's clock.
  public init(store: any BatchStore, committer: GroupCommitter, clock: UTCClock) {
    self.store = store
    self.committer = committer
    self.clock = clock
  }

  /// Ingests a body.
  /// - Parameters:
  ///   - body: the inflated bytes, or why there are none to decode.
  ///   - endpoint: where it was sent to.
  ///   - credential: what came with it.
  /// - Returns: the answer, once what it says is durable.
  public func ingest(
    _ body: Result<[UInt8], BodyFailure>, to endpoint: IngestionEndpoint, credential: IngestionCredential
  ) async -> IngestionAnswer {
    let now = clock.now
    let answer = await answer(to: body, endpoint, credential, now)
    if case .refused(let code, _) = answer, (400..<500).contains(code.status) {
      committer.countRejection(code, on: now.day)
    }
    return answer
  }

  /// Counts a request that was refused before it came here.
  public func countRejection(_ code: ErrorCode) { committer.countRejection(code, on: clock.now.day) }

  private func answer(
    to body: Result<[UInt8], BodyFailure>, _ endpoint: IngestionEndpoint, _ credential: IngestionCredential,
    _ now: Instant
  ) async -> IngestionAnswer {
    let session: AccessToken?
    switch credential {
    case .malformed: return .refused(.unauthorized, [])
    case .absent: session = nil
    case .bearer(let token): session = token
    }
    let batch: Batch
    switch body {
    case .failure(let failure): return await refuse(failure.code, failure.violations, session, now)
    case .success(let bytes):
      do throws(BatchRejection) {
        batch = try BatchDecoder(for: endpoint, at: now).decode(bytes)
      } catch {
        return await refuse(error.code, error.violations, session, now)
      }
    }
    let submission = Submission(
      installation: batch.installation.digest, items: batch.items, session: session, receivedAt: now)
    do throws(SubmissionFailure) {
      switch try await committer.submit(submission) {
      case .stored(let accepted, let replayed): return .stored(accepted: accepted, replayed: replayed)
      case .unauthorized: return .refused(.unauthorized, [])
      case .conflict: return .refused(.conflict, [])
      }
    } catch {
      return .refused(error == .store(.defect) ? .internal : .unavailable, [])
    }
  }

  /// Refuses a body that gets no further than here, after judging the session that came with it.
  private func refuse(
    _ code: ErrorCode, _ violations: [Violation], _ session: AccessToken?, _ now: Instant
  ) async -> IngestionAnswer {
    guard let session else { return .refused(code, violations) }
    do throws(StoreFailure) {
      return try await store.isValidSession(session, at: now)
        ? .refused(code, violations) : .refused(.unauthorized, [])
    } catch {
      return .refused(error == .defect ? .internal : .unavailable, [])
    }
  }
}

/// Why a request has no body to decode.
public enum BodyFailure: Error, Sendable {
  /// It is larger than the endpoint takes.
  case tooLarge
  /// Its media type or content coding is not the contract's.
  case unsupportedMediaType
  /// Its content coding is broken.
  case undecodable
  /// It did not arrive in time.
  case timedOut

  /// What the body breaks.
  public var violations: [Violation] { self == .undecodable ? [Violation(.invalidGzip)] : [] }

  /// The error that it is answered with.
  public var code: ErrorCode {
    switch self {
    case .tooLarge: .payloadTooLarge
    case .unsupportedMediaType: .unsupportedMediaType
    case .undecodable: .invalidRequest
    case .timedOut: .requestTimeout
    }
  }
}
