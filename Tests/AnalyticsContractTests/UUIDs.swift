import AnalyticsContract
import Testing

@Suite struct UUIDs {
  private static let lower = "01234567-89ab-cdef-fedc-ba9876543210"
  private static let upper = "01234567-89AB-CDEF-FEDC-BA9876543210"

  @Test func `Both letter cases and their mixture are one value`() {
    let value = UUIDValue(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    #expect(UUIDValue(text: Self.lower) == value)
    #expect(UUIDValue(text: Self.upper) == value)
    #expect(UUIDValue(text: "01234567-89aB-CdeF-fEdc-bA9876543210") == value)
    #expect(value.text() == Self.lower)
    #expect(value.text(uppercase: false) == Self.lower)
    #expect(value.text(uppercase: true) == Self.upper)
  }

  @Test func `Any byte in any place makes a UUID exactly where it is a hexadecimal digit or the hyphen`() {
    let hyphens: Set = [8, 13, 18, 23]
    let digits = Set("0123456789abcdefABCDEF".utf8)
    var wrong: [String] = []
    for position in 0..<36 {
      for byte in UInt8.min ... .max {
        var bytes = Array(Self.lower.utf8)
        bytes[position] = byte
        let value = reading(bytes) { UUIDValue(text: $0) }
        let isUUID = hyphens.contains(position) ? byte == UInt8(ascii: "-") : digits.contains(byte)
        let text = String(decoding: bytes, as: UTF8.self)
        if (value != nil) != isUUID || (isUUID && value?.text() != text.lowercased()) { wrong.append(text) }
      }
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `Any other length is no UUID`() {
    for length in 0...80 where length != 36 {
      let repeated = String(repeating: Self.lower, count: 3)
      #expect(UUIDValue(text: String(repeated.prefix(length))) == nil)
    }
    for position in 0..<36 {
      var shorter = Array(Self.lower)
      shorter.remove(at: position)
      #expect(UUIDValue(text: String(shorter)) == nil)
      var longer = Array(Self.lower)
      longer.insert("0", at: position)
      #expect(UUIDValue(text: String(longer)) == nil)
    }
  }

  @Test(arguments: [
    "{01234567-89ab-cdef-fedc-ba9876543210}", "urn:uuid:01234567-89ab-cdef-fedc-ba9876543210",
    "0123456789abcdeffedcba9876543210", "01234567-89ab-cdef-fedc-ba987654321\u{0}",
    " 01234567-89ab-cdef-fedc-ba9876543210", "01234567-89ab-cdef-fedc-ba9876543210\n",
    "{1234567-89ab-cdef-fedc-ba987654321}",
    "01234567-89ab-cdef-fedcba-9876543210", "012345678-9ab-cdef-fedc-ba9876543210",
    "0x234567-89ab-cdef-fedc-ba9876543210",
    "01234567–89ab-cdef-fedc-ba98765432", "01234567-89ab-cdef-fedc-ba987654321０",
    "+1234567-89ab-cdef-fedc-ba9876543210",
  ])
  func `Another form is no UUID`(text: String) {
    #expect(UUIDValue(text: text) == nil)
  }

  @Test func `Any version and variant is read`() {
    for digit in "0123456789abcdef" {
      #expect(UUIDValue(text: "01234567-89ab-\(digit)def-fedc-ba9876543210") != nil)
      #expect(UUIDValue(text: "01234567-89ab-cdef-\(digit)edc-ba9876543210") != nil)
    }
  }

  @Test func `Only all zeros is nil, and nil names no installation`() {
    let zero = uuid("00000000-0000-0000-0000-000000000000")
    #expect(zero.isNil)
    #expect(InstallationID(zero) == nil)
    for bit in 0..<64 {
      for value in [UUIDValue(high: 1 << UInt64(bit), low: 0), UUIDValue(high: 0, low: 1 << UInt64(bit))] {
        #expect(!value.isNil)
        #expect(InstallationID(value)?.uuid == value)
      }
    }
  }

  @Test func `Bytes are in the order of the text and read back`() {
    let value = uuid("00112233-4455-6677-8899-aabbccddeeff")
    #expect(value.bytes == (0..<16).map { UInt8($0 * 0x11) })
    #expect(value.bytes.withUnsafeBytes { UUIDValue(bytes: $0) } == value)
    for count in 0...33 where count != 16 {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(bytes.withUnsafeBytes { UUIDValue(bytes: $0) } == nil)
    }
  }

  @Test func `A random UUID is of version 4, of the RFC's variant, and not the last one again`() {
    var seen: Set<UUIDValue> = []
    for _ in 0..<1000 {
      let value = UUIDValue.random()
      let text = Array(value.text())
      #expect(text[14] == "4")
      #expect("89ab".contains(text[19]))
      #expect(UUIDValue(text: String(text)) == value)
      seen.insert(value)
    }
    #expect(seen.count == 1000)
  }
}
