/// What an answer means for the items that were sent: the table of WIRE, "Facts about the clients in the field".
enum Verdict: Equatable {
  /// The server has all of them, some perhaps from before.
  case confirmed(accepted: Int, replayed: Int)
  /// At least one of them is bad: half of them at a time are tried.
  case divide
  /// The token isn't valid any more.
  case unauthorized
  /// The whole batch is refused for ever.
  case refused
  /// Nothing is known about them: they are sent again later, after so many seconds at least.
  case later(seconds: Int?)

  /// - Parameters:
  ///   - answer: the server's answer.
  ///   - count: how many items were sent.
  init(_ answer: UploadAnswer, sent count: Int) {
    switch answer.status {
    case 200:
      if let (accepted, replayed) = Self.receipt(answer.body), accepted + replayed == count {
        self = .confirmed(accepted: accepted, replayed: replayed)
      } else {
        // Something between here and the server answered in its name: a captive portal, say.
        self = .later(seconds: nil)
      }
    case 400, 409, 422: self = .divide
    case 401: self = .unauthorized
    case 408, 429: self = .later(seconds: answer.retryAfterSeconds)
    case 402...499: self = .refused
    default: self = .later(seconds: answer.retryAfterSeconds)
    }
  }

  /// Reads exactly `{"accepted":A,"replayed":R}`, in either order and with JSON's white space; nothing else is a receipt.
  static func receipt(_ body: [UInt8]) -> (accepted: Int, replayed: Int)? {
    var reader = ReceiptReader(body[...])
    return reader.read()
  }
}

/// The one kind of JSON that the client reads.
private struct ReceiptReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func read() -> (accepted: Int, replayed: Int)? {
    guard takes("{"), let first = member(), takes(","), let second = member(), takes("}") else { return nil }
    skipSpace()
    guard rest.isEmpty else { return nil }
    switch (first.name, second.name) {
    case ("accepted", "replayed"): return (first.value, second.value)
    case ("replayed", "accepted"): return (second.value, first.value)
    default: return nil
    }
  }

  private mutating func member() -> (name: String, value: Int)? {
    guard let name = ["accepted", "replayed"].first(where: { takes("\"\($0)\"") }), takes(":") else { return nil }
    skipSpace()
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    // No leading zeros in JSON.
    guard (1...9).contains(digits.count), digits.count == 1 || digits.first != 0x30 else { return nil }
    rest = rest.dropFirst(digits.count)
    return (name, digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  private mutating func takes(_ text: String) -> Bool {
    skipSpace()
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private mutating func skipSpace() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
}
