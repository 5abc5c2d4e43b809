/// Writes the contract's JSON in its canonical form. Every text of the contract is ASCII without quotes, backslashes or
/// control characters, so nothing needs escaping.
struct CanonicalJSONWriter {
  typealias Member = (name: WireMember, value: Value)

  indirect enum Value {
    case text(String)
    case integer(Int64)
    case array([Value])
    case object([Member])
  }

  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func write(_ value: Value) {
    switch value {
    case .text(let text):
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: text.utf8)
      bytes.append(UInt8(ascii: "\""))
    case .integer(let number):
      bytes.append(contentsOf: String(number).utf8)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (position, value) in values.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        write(value)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      let sorted = members.map { ($0.name.wireName.description, $0.value) }.sorted { $0.0 < $1.0 }
      for (position, member) in sorted.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        write(.text(member.0))
        bytes.append(UInt8(ascii: ":"))
        write(member.1)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
