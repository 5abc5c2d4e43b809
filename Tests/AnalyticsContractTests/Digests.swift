import AnalyticsContract
import Testing

/// The expected values are the output of `sha256sum`.
@Suite struct Digests {
  @Test(arguments: [
    ("6f1c2d3e-4a5b-4c6d-8e7f-90a1b2c3d4e5", "b396fdf29c9d2d563f235e60bdaabcf58bf28ba4c5123d4fbda2e24646cb5f8a"),
    ("00000000-0000-0000-0000-000000000001", "7ac1b8d7010bb6cd3a3e84e7f90136b880bbc899e428ece49333372911ab9052"),
    ("ffffffff-ffff-ffff-ffff-ffffffffffff", "13984ab878f915021670cd855c9399ebc339676b2581855e4efd60c685f67c8e"),
    ("01234567-89ab-cdef-0123-456789abcdef", "a23d006bb020a81dfd1afa15968e07dcae8a9e0016934b97496d839b8aac8fea"),
  ])
  func `An installation is stored as the digest of its lower-case text, in whatever case it came`(
    text: String, digest: String
  ) {
    #expect(InstallationID(uuid(text))?.digest.hexadecimal == digest)
    #expect(InstallationID(uuid(text.uppercased()))?.digest.hexadecimal == digest)
    #expect(Digest(hashing: text).hexadecimal == digest)
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
  ])
  func `Bytes and text have their SHA-256`(text: String, digest: String) {
    #expect(Digest(hashing: text).hexadecimal == digest)
    #expect(Array(text.utf8).withUnsafeBytes { Digest(hashing: $0) }.hexadecimal == digest)
  }

  @Test func `A digest has 32 bytes and reads back from them alone`() {
    let digest = Digest(hashing: "abc")
    let bytes = digest.withUnsafeBytes { Array($0) }
    #expect(bytes.count == Digest.byteCount)
    #expect(bytes.withUnsafeBytes { Digest(bytes: $0) } == digest)
    for count in 0...65 where count != 32 {
      #expect([UInt8](repeating: 7, count: count).withUnsafeBytes { Digest(bytes: $0) } == nil)
    }
  }

  @Test func `Digests that differ in any one bit differ`() {
    let digest = Digest(hashing: "abc")
    var all: Set = [digest]
    for bit in 0..<256 {
      var bytes = digest.withUnsafeBytes { Array($0) }
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let other = bytes.withUnsafeBytes { Digest(bytes: $0)! }
      #expect(other != digest)
      all.insert(other)
    }
    #expect(all.count == 257)
  }

  @Test func `Many threads hash at once and agree`() async {
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<64 { group.addTask { Digest(hashing: "abc").hexadecimal } }
      for await digest in group {
        #expect(digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      }
    }
  }
}
