import AnalyticsContract
import Foundation

/// Delivers what waits, batch after batch, until nothing is left, the server wants a pause, or enough was done.
///
/// One pass at a time; a second call meanwhile is told so. An item is removed only after the server has confirmed its
/// batch, so that whatever is killed or cut off on the way, it is sent again, as the same bytes with the same id.
actor Uploader {
  private let environment: ClientEnvironment
  private let transport: any Transport
  private let tokens: (any AccessTokenSource)?
  private var isUploading = false

  /// The largest body, in bytes, before it is compressed (WIRE: "Facts about the clients in the field").
  static let maximumBodyBytes = 60 * 1024
  /// From this size on a body is compressed, in bytes.
  static let compressionBytes = 1024

  /// - Parameters:
  ///   - environment: what the client's parts share.
  ///   - transport: what carries requests.
  ///   - tokens: where access tokens come from; `nil` for a client that is anonymous by construction.
  init(_ environment: ClientEnvironment, transport: any Transport, tokens: (any AccessTokenSource)?) {
    self.environment = environment
    self.transport = transport
    self.tokens = tokens
  }

  /// Uploads.
  /// - Parameter maximumBatches: how many requests with items may be sent, at least 1.
  /// - Returns: how it ended.
  func upload(maximumBatches: Int) async -> UploadResult {
    if isUploading { return UploadResult(end: .busy) }
    isUploading = true
    defer { isUploading = false }
    guard let store = try? environment.openStore(), let state = try? store.current() else {
      return UploadResult(end: .unavailable)
    }
    guard let installation = state.installation else { return UploadResult(end: .collectionOff) }
    let folder = store.folder.folder(state.folderName)
    let pass = Pass(
      store: store, state: state, folder: folder, installation: installation,
      retry: (try? RetryState.load(from: folder)) ?? RetryState(), left: max(1, maximumBatches))
    let wait = pass.retry.wait(at: environment.clock.now)
    if wait > 0 { return UploadResult(end: .waiting(seconds: Int((wait + 999_999) / 1_000_000))) }
    let events = EventQueue(
      segments: environment.segments(of: state, in: store), owner: environment.owner, limits: environment.limits,
      clock: environment.clock, diagnostics: environment.diagnostics)
    let usage = UsageSource(
      folder: { [environment] in environment.usageFolder(of: state, in: store) }, clock: environment.clock,
      diagnostics: environment.diagnostics, appVersion: environment.appVersion, osVersion: environment.osVersion)
    var end = await deliver(from: events, pass)
    if end == nil { end = await deliver(from: usage, pass) }
    return UploadResult(end: end ?? .everythingSent, batches: pass.sent, items: pass.items)
  }

  /// What one pass knows.
  private final class Pass {
    let store: StateStore
    let state: ClientState
    let folder: Folder
    let installation: InstallationID
    var retry: RetryState
    var left: Int
    var sent = 0
    var items = 0
    /// Whether a token was refreshed: once a pass is enough.
    var hasRefreshed = false
    var token: String??

    init(
      store: StateStore, state: ClientState, folder: Folder, installation: InstallationID, retry: RetryState, left: Int
    ) {
      self.store = store
      self.state = state
      self.folder = folder
      self.installation = installation
      self.retry = retry
      self.left = left
    }

    /// Keeps when and how the next upload may be. Where that fails it is tried a little too early, no more.
    func save() { try? retry.save(to: folder) }
  }

  /// - Returns: why the pass must end; `nil` where nothing is left.
  private func deliver<Source: UploadSource>(from source: Source, _ pass: Pass) async -> UploadResult.End? {
    source.begin()
    defer { source.end() }
    while true {
      if Task.isCancelled { return .cancelled }
      // What was collected under a former identity goes with it.
      guard pass.store.isCurrent(pass.state) else { return .identityChanged }
      var items = source.peek(limit: pass.retry.nextSize(for: source.endpoint))
      if items.isEmpty { return nil }
      if pass.left == 0 { return .enough }
      pass.left -= 1
      var body = Batch(installation: pass.installation, items: source.contents(of: items)).body()
      while body.count > Self.maximumBodyBytes, items.count > 1 {
        items = Array(items.prefix(items.count / 2))
        body = Batch(installation: pass.installation, items: source.contents(of: items)).body()
      }
      let verdict: Verdict
      do throws(TransportError) {
        verdict = try await answer(to: body, source.endpoint, count: items.count, pass)
      } catch {
        if error == .cancelled { return .cancelled }
        environment.diagnostics.add(.networkFailures)
        return pause(pass, seconds: nil)
      }
      if let end = handle(verdict, items, source, pass) { return end }
    }
  }

  /// Does what an answer means for the items.
  /// - Returns: why the pass must end.
  private func handle<Source: UploadSource>(
    _ verdict: Verdict, _ items: [Source.Item], _ source: Source, _ pass: Pass
  ) -> UploadResult.End? {
    let diagnostics = environment.diagnostics
    switch verdict {
    case .confirmed(let accepted, let replayed):
      source.remove(items)
      diagnostics.add(.accepted, accepted)
      diagnostics.add(.replayed, replayed)
      pass.sent += 1
      pass.items += items.count
      let before = pass.retry
      pass.retry.succeed()
      pass.retry.finish(for: source.endpoint)
      if pass.retry != before { pass.save() }
    case .divide:
      if items.count == 1 {
        source.quarantine(items[0])
        pass.retry.finish(for: source.endpoint)
        diagnostics.add(.quarantined)
      } else {
        pass.retry.halve(items.count, for: source.endpoint)
        diagnostics.add(.splitBatches)
      }
      pass.save()
    case .refused:
      for item in items { source.quarantine(item) }
      diagnostics.add(.quarantined, items.count)
      pass.retry.finish(for: source.endpoint)
      pass.save()
    case .unauthorized:
      return pause(pass, seconds: nil)
    case .later(let seconds):
      return pause(pass, seconds: seconds)
    }
    return nil
  }

  private func pause(_ pass: Pass, seconds: Int?) -> UploadResult.End {
    var random = SystemRandomNumberGenerator()
    let now = environment.clock.now
    pass.retry.fail(
      at: now, retryAfterSeconds: seconds, firstWait: environment.firstWait, using: &random)
    pass.save()
    return .waiting(seconds: Int((pass.retry.wait(at: now) + 999_999) / 1_000_000))
  }

  /// Sends a body, and once more with another token where the first one is refused.
  private func answer(
    to body: [UInt8], _ endpoint: IngestionEndpoint, count: Int, _ pass: Pass
  ) async throws(TransportError) -> Verdict {
    let compressed = body.count > Self.compressionBytes ? GzipEncoder.compress(body) : nil
    if pass.token == nil { pass.token = .some(await tokens?.accessToken()) }
    while true {
      let token = pass.token ?? nil
      environment.diagnostics.add(.requests)
      let answer = try await transport.send(
        UploadRequest(
          path: endpoint.path.description, body: compressed ?? body, isCompressed: compressed != nil,
          accessToken: token))
      note(answer)
      let verdict = Verdict(answer, sent: count)
      guard verdict == .unauthorized, let token, !pass.hasRefreshed else { return verdict }
      pass.hasRefreshed = true
      guard let new = await tokens?.refreshedToken(afterRejectionOf: token), new != token else { return verdict }
      pass.token = .some(new)
    }
  }

  private func note(_ answer: UploadAnswer) {
    switch answer.status {
    case 401: environment.diagnostics.add(.unauthorizedAnswers)
    case 429: environment.diagnostics.add(.rateLimitedAnswers)
    case 408, 500...599: environment.diagnostics.add(.unavailableAnswers)
    default: break
    }
  }
}

/// How an upload ended, and what it delivered.
public struct UploadResult: Sendable, Equatable {
  /// Why it ended.
  public enum End: Sendable, Equatable {
    /// Nothing waits any more, but for what other processes are just delivering.
    case everythingSent
    /// As many batches as wanted were sent; more wait.
    case enough
    /// The server, or the network, wants a pause of so many seconds. Calls until then return this at once.
    case waiting(seconds: Int)
    /// The task was cancelled. What was not confirmed stays.
    case cancelled
    /// Another call is uploading.
    case busy
    /// The identity changed meanwhile: what was collected under the former one is gone.
    case identityChanged
    /// The user doesn't allow collection, so that there is nothing to send.
    case collectionOff
    /// There is no container to read from: before the first unlock, say.
    case unavailable
  }

  /// Why it ended.
  public var end: End
  /// How many batches the server confirmed.
  public var batches = 0
  /// How many events and summaries were in them.
  public var items = 0
}

extension ClientEnvironment {
  /// Where keyboard usage of an identity is counted; made at the first time, `nil` where that fails.
  func usageFolder(of state: ClientState, in store: StateStore) -> Folder? {
    let identity = store.folder.folder(state.folderName)
    let folder = identity.folder("usage")
    do throws(FileError) {
      try identity.create()
      try folder.create()
    } catch { return nil }
    return folder
  }
}
