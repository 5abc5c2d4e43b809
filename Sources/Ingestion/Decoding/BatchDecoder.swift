import AnalyticsContract

/// Turns the bytes of a request body into a batch in one pass, or says what they break.
///
/// This is the privacy boundary: what is not in the contract is stepped over byte by byte and never becomes a value of
/// the program, so that nothing behind it could log or store it.
public struct BatchDecoder: Sendable {
  private let endpoint: IngestionEndpoint
  private let window: AcceptanceWindow

  /// - Parameters:
  ///   - endpoint: where the body was sent to.
  ///   - now: the server's clock, for the window in which items are accepted.
  public init(for endpoint: IngestionEndpoint, at now: Instant) {
    self.endpoint = endpoint
    window = AcceptanceWindow(at: now)
  }

  /// Decodes and validates a body.
  /// - Throws: ``BatchRejection`` with everything that was found.
  public func decode(_ body: UnsafeBufferPointer<UInt8>) throws(BatchRejection) -> Batch {
    let result = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONReader.scratchCapacity) { scratch in
      var pass = BatchDecodingPass(reader: JSONReader(body, scratch: scratch), endpoint: endpoint, window: window)
      return pass.run()
    }
    return try result.get()
  }

  /// Decodes and validates a body.
  /// - Throws: ``BatchRejection`` with everything that was found.
  public func decode(_ body: [UInt8]) throws(BatchRejection) -> Batch {
    try body.withUnsafeBufferPointer { buffer throws(BatchRejection) in try decode(buffer) }
  }
}

/// The state of decoding one body: the root here, the items in the extensions beside.
struct BatchDecodingPass: DecodingPass {
  var reader: JSONReader
  let endpoint: IngestionEndpoint
  let window: AcceptanceWindow
  var violations = ViolationList()
  var resolution = IdentityResolution()
  /// The position of the item being decoded; `nil` at the root.
  var index: Int?
  /// The members of the item whose value was reported, so that their absence isn't reported too.
  var unreadable = WireMemberSet()
  var events: [Event] = []
  var summaries: [KeyboardUsageSummary] = []

  var collection: WireMember { endpoint.collection }

  init(reader: JSONReader, endpoint: IngestionEndpoint, window: AcceptanceWindow) {
    self.reader = reader
    self.endpoint = endpoint
    self.window = window
  }

  mutating func run() -> Result<Batch, BatchRejection> {
    do throws(JSONSyntaxError) {
      try decodeRoot()
      try reader.expectEnd()
    } catch {
      // What was found before is no more certain than where the text stopped making sense.
      violations = ViolationList()
      report(.invalidJSON, nil)
      return .failure(violations.rejection)
    }
    index = nil
    let installation = resolution.resolve(collection: endpoint.collection, into: &violations)
    guard violations.isEmpty, let installation else { return .failure(violations.rejection) }
    let items: BatchItems = endpoint == .events ? .events(events) : .summaries(summaries)
    return .success(Batch(installation: installation, items: items))
  }

  private mutating func decodeRoot() throws(JSONSyntaxError) {
    guard try beginObject() else { return }
    let members = WireMemberSet([.installationId, endpoint.collection])
    var seen = WireMemberSet()
    var more = !reader.take(UInt8(ascii: "}"))
    while more {
      let member = try memberName(of: members, ifNew: &seen)
      switch member {
      case .installationId:
        if let uuid = try identity() { resolution.root(uuid) }
      case endpoint.collection:
        try decodeItems()
        index = nil
      default: try skipUnknown()
      }
      more = try continues()
    }
    if !seen.contains(endpoint.collection) { report(.missingMember, endpoint.collection) }
  }

  private mutating func decodeItems() throws(JSONSyntaxError) {
    guard reader.peek() == UInt8(ascii: "[") else {
      report(.wrongType, endpoint.collection)
      return try reader.skipValue()
    }
    try reader.expect(UInt8(ascii: "["))
    var count = 0
    if !reader.take(UInt8(ascii: "]")) {
      if endpoint == .events { events.reserveCapacity(ContractLimits.maximumItems) }
      repeat {
        if count < ContractLimits.maximumItems {
          index = count
          switch endpoint {
          case .events: try decodeEvent()
          case .keyboardUsage: try decodeSummary()
          }
        } else {
          try reader.skipValue()
        }
        count += 1
      } while reader.take(UInt8(ascii: ","))
      try reader.expect(UInt8(ascii: "]"))
    }
    index = nil
    resolution.itemCount = count
    if !(1...ContractLimits.maximumItems).contains(count) { report(.itemCount, endpoint.collection) }
  }
}

extension BatchDecodingPass {
  /// Takes the installation's identity, at the root or, from released clients, in every item.
  /// - Returns: `nil` where there is none, or a malformed one, which is remembered.
  mutating func identity() throws(JSONSyntaxError) -> UUIDValue? {
    let identity = try uuid(.installationId, isOptional: true)
    if unreadable.contains(.installationId) { resolution.hasMalformed = true }
    return identity
  }
}
