import AnalyticsContract
import Ingestion
import Testing

/// From the bytes of a body to the answer.
@Suite(.timeLimit(.minutes(5))) struct Ingesting {
  private static let token = AccessToken(digest: Digest(hashing: "token"), account: UUIDValue(high: 0, low: 1))
  private static let good = Array(JSON.body([.event]).canonical.utf8)
  private static let bad = Array("{".utf8)
  private static let wrong = Array(JSON.body([.event.setting("surface", .text("X"))]).canonical.utf8)
  private static let failures: [(BodyFailure, ErrorCode)] = [
    (.tooLarge, .payloadTooLarge), (.unsupportedMediaType, .unsupportedMediaType), (.undecodable, .invalidRequest),
    (.timedOut, .requestTimeout),
  ]

  /// What a request gets, what the store was asked, and which refusals were counted.
  private func ingest(
    _ body: Result<[UInt8], BodyFailure>, to endpoint: IngestionEndpoint = .events, credential: IngestionCredential,
    store: AnsweringStore = AnsweringStore(), limits: GroupLimits = .init(), isStopping: Bool = false
  ) async -> (answer: IngestionAnswer, batches: [Submission], sessions: [AccessToken], counted: [ErrorCode: Int]) {
    let committer = GroupCommitter(store: store, limits: limits, observer: RecordingObserver())
    if isStopping { await committer.stop() }
    let ingestor = Ingestor(store: store, committer: committer, clock: .fixed(now))
    let answer = await ingestor.ingest(body, to: endpoint, credential: credential)
    await committer.stop()
    let asked = store.asked
    var counted: [ErrorCode: Int] = [:]
    for commit in asked.commits {
      for (key, count) in commit.counts.rejections.counts {
        #expect(key.day == now.day)
        counted[key.code, default: 0] += count
      }
    }
    #expect(asked.sessionsAsked.allSatisfy { $0.instant == now })
    return (answer, asked.commits.flatMap(\.group), asked.sessionsAsked.map(\.token), counted)
  }

  @Test func `A valid batch is stored for its installation, with its session and the time of receipt`() async {
    for credential in [IngestionCredential.absent, .bearer(Self.token)] {
      let store = AnsweringStore { _, _ in .success([.stored(accepted: 3, replayed: 4)]) }
      let result = await ingest(.success(Self.good), credential: credential, store: store)
      #expect(result.answer == .stored(accepted: 3, replayed: 4))
      #expect(result.counted.isEmpty)
      #expect(result.sessions.isEmpty)
      #expect(result.batches.count == 1)
      #expect(result.batches[0].installation == Digest(hashing: identity))
      #expect(result.batches[0].receivedAt == now)
      if case .bearer = credential {
        #expect(result.batches[0].session == Self.token)
      } else {
        #expect(result.batches[0].session == nil)
      }
    }
  }

  @Test func `A batch of summaries is stored at its endpoint`() async {
    let body = Array(JSON.body([.summary, .summary], to: .keyboardUsage).canonical.utf8)
    let result = await ingest(.success(body), to: .keyboardUsage, credential: .absent)
    #expect(result.answer == .stored(accepted: 2, replayed: 0))
  }

  @Test func `A malformed credential is a 401 whatever the body, and nothing else is asked`() async {
    let bodies: [Result<[UInt8], BodyFailure>] =
      [.success(Self.good), .success(Self.bad), .success(Self.wrong), .success([])]
      + Self.failures.map { .failure($0.0) }
    for body in bodies {
      let result = await ingest(body, credential: .malformed)
      #expect(result.answer == .refused(.unauthorized, []))
      #expect(result.batches.isEmpty)
      #expect(result.sessions.isEmpty)
      #expect(result.counted == [.unauthorized: 1])
    }
  }

  @Test func `Without a credential a bad body is judged by itself`() async {
    let syntax = await ingest(.success(Self.bad), credential: .absent)
    #expect(syntax.answer == .refused(.invalidRequest, [Violation(.invalidJSON)]))
    #expect(syntax.counted == [.invalidRequest: 1])
    let value = await ingest(.success(Self.wrong), credential: .absent)
    let violation = Violation(.unknownValue, collection: .events, index: 0, member: .surface)
    #expect(value.answer == .refused(.validationFailed, [violation]))
    #expect(value.counted == [.validationFailed: 1])
    for (failure, code) in Self.failures {
      let result = await ingest(.failure(failure), credential: .absent)
      let violations = failure == .undecodable ? [Violation(.invalidGzip)] : []
      #expect(result.answer == .refused(code, violations))
      #expect(result.counted == [code: 1])
      #expect(result.batches.isEmpty)
      #expect(result.sessions.isEmpty)
    }
  }

  @Test func `With a session a bad body is judged after the session, which the store is asked for`() async {
    let bodies: [(Result<[UInt8], BodyFailure>, ErrorCode)] =
      [(.success(Self.bad), .invalidRequest), (.success(Self.wrong), .validationFailed)]
      + Self.failures.map { (.failure($0.0), $0.1) }
    for (body, code) in bodies {
      let valid = await ingest(body, credential: .bearer(Self.token), store: AnsweringStore(session: .success(true)))
      guard case .refused(code, _) = valid.answer else {
        Issue.record("\(valid.answer)")
        continue
      }
      #expect(valid.sessions == [Self.token])
      #expect(valid.counted == [code: 1])
      let invalid = await ingest(body, credential: .bearer(Self.token), store: AnsweringStore(session: .success(false)))
      #expect(invalid.answer == .refused(.unauthorized, []))
      #expect(invalid.sessions == [Self.token])
      #expect(invalid.counted == [.unauthorized: 1])
      for store in [valid, invalid] { #expect(store.batches.isEmpty) }
    }
  }

  @Test func `A session that can't be looked up is a 503, or a 500 for a defect, and no refusal is counted`() async {
    for (failure, code) in [(StoreFailure.unavailable(.busy), ErrorCode.unavailable), (.defect, .internal)] {
      for body in [Result<[UInt8], BodyFailure>.success(Self.bad), .success(Self.wrong), .failure(.tooLarge)] {
        let result = await ingest(
          body, credential: .bearer(Self.token), store: AnsweringStore(session: .failure(failure)))
        #expect(result.answer == .refused(code, []))
        #expect(result.counted.isEmpty)
      }
    }
  }

  @Test func `What the store finds wrong with a batch is a 401 or a 409, and counted`() async {
    for (outcome, code) in [(CommitOutcome.unauthorized, ErrorCode.unauthorized), (.conflict, .conflict)] {
      let store = AnsweringStore { group, _ in .success(group.map { _ in outcome }) }
      let result = await ingest(.success(Self.good), credential: .bearer(Self.token), store: store)
      #expect(result.answer == .refused(code, []))
      #expect(result.counted == [code: 1])
    }
  }

  @Test(arguments: StoreFailureReason.allCases)
  func `A store that is away is a 503, and not counted`(reason: StoreFailureReason) async {
    let store = AnsweringStore { _, _ in .failure(.unavailable(reason)) }
    let result = await ingest(.success(Self.good), credential: .absent, store: store)
    #expect(result.answer == .refused(.unavailable, []))
    #expect(result.counted.isEmpty)
  }

  @Test func `A defect is a 500, and not counted`() async {
    let store = AnsweringStore { _, _ in .failure(.defect) }
    let result = await ingest(.success(Self.good), credential: .absent, store: store)
    #expect(result.answer == .refused(.internal, []))
    #expect(result.counted.isEmpty)
  }

  @Test func `A full queue and a server that stops are a 503, and not counted`() async {
    let full = await ingest(.success(Self.good), credential: .absent, limits: GroupLimits(waitingBatches: 0))
    #expect(full.answer == .refused(.unavailable, []))
    #expect(full.counted.isEmpty)
    let stopping = await ingest(.success(Self.good), credential: .absent, isStopping: true)
    #expect(stopping.answer == .refused(.unavailable, []))
    #expect(stopping.counted.isEmpty)
  }

  @Test func `The window of acceptance is that of the server's clock`() async {
    let store = AnsweringStore()
    let committer = GroupCommitter(store: store, observer: RecordingObserver())
    for (clock, isAccepted) in [
      ("2026-11-29T09:54:00.123Z", true), ("2026-11-29T09:54:00.122Z", false), ("2027-01-03T09:59:00.123Z", true),
      ("2027-01-03T09:59:00.124Z", false),
    ] {
      let ingestor = Ingestor(store: store, committer: committer, clock: .fixed(instant(clock)))
      let answer = await ingestor.ingest(.success(Self.good), to: .events, credential: .absent)
      #expect((answer == .stored(accepted: 1, replayed: 0)) == isAccepted, "\(clock)")
    }
    await committer.stop()
  }
}
