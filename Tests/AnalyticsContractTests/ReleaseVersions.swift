import AnalyticsContract
import Testing

@Suite struct ReleaseVersions {
  private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_+".utf8)

  @Test func `A byte is allowed in every place exactly where it is of the alphabet`() {
    var wrong: [(Int, UInt8)] = []
    for byte in UInt8.min ... .max {
      let isAllowed = Self.alphabet.contains(byte)
      if ReleaseVersion.isAllowed(byte) != isAllowed { wrong.append((-1, byte)) }
      for length in [1, 2, 5, 16, 32] {
        for position in 0..<length {
          var bytes = [UInt8](repeating: UInt8(ascii: "1"), count: length)
          bytes[position] = byte
          let version = reading(bytes) { ReleaseVersion($0) }
          if (version != nil) != isAllowed { wrong.append((position, byte)) }
          if let version, Array(version.text.utf8) != bytes { wrong.append((position, byte)) }
        }
      }
    }
    #expect(wrong.isEmpty)
    #expect(Self.alphabet.count == 66)
  }

  @Test func `One to 32 bytes are a version that keeps its length, text and bytes`() {
    for length in 0...33 {
      let text = String("0123456789.abcdefghijklmnopqrstuvwxyz".prefix(length))
      let version = ReleaseVersion(text)
      #expect((version != nil) == (1...32).contains(length))
      guard let version else { continue }
      #expect(version.count == length)
      #expect(version.text == text)
      #expect(version.withUnsafeBytes { Array($0) } == Array(text.utf8))
    }
    #expect(ReleaseVersion(String(repeating: "1", count: 100_000)) == nil)
  }

  @Test(arguments: [
    "unknown", "2.0.0", "26.0.1", "2.1.0-beta_3+build.77", "A", ".", "-", "_", "+",
  ])
  func `What clients send is a version`(text: String) {
    #expect(ReleaseVersion(text)?.text == text)
  }

  @Test(arguments: [
    "", " ", "2.0 0", "Anna's iPhone", "2.0.0\n", "2.0.0\u{0}", "2,0", "v2/0", "2.0.0é", "２.0", "(2.0)", "2.0:1", "\"",
    "\\",
    "你好", "📱",
  ])
  func `Spaces, other signs and other letters are no version`(text: String) {
    #expect(ReleaseVersion(text) == nil)
  }

  @Test func `Versions are equal where all bytes are, and their hashes then too`() {
    let texts = (1...32).flatMap { length in
      [
        String(repeating: "1", count: length), String(repeating: "1", count: length - 1) + "2",
        "2" + String(repeating: "1", count: length - 1),
      ]
    }
    let versions = texts.map { version($0) }
    #expect(Set(versions).count == Set(texts).count)
    for (left, leftText) in zip(versions, texts) {
      for (right, rightText) in zip(versions, texts) where (left == right) != (leftText == rightText) {
        Issue.record("\(leftText) and \(rightText)")
      }
      #expect(left.hashValue == version(leftText).hashValue)
    }
  }
}
