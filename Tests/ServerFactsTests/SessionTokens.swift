import AnalyticsContract
import COpenSSL
import Foundation
import Ingestion
import ServerFacts
import TestSupport
import Testing

/// Which tokens are sessions.
@Suite struct SessionTokens {
  @Test(arguments: 0..<3) func `A token that a key signed is a session of its account`(_ key: Int) throws {
    let fixture = try SessionFixture()
    #expect(fixture.account(sessionKeys[key].sign(claims())) == account)
    let upper = claims(["sub": "\"\(account.text(uppercase: true))\""])
    #expect(fixture.account(sessionKeys[key].sign(upper)) == account)
    // As a key set often is: without alg, with use and operations.
    let plain = sessionKeys[key].publicKey(["alg": nil, "use": "sig", "key_ops": ["verify"], "x5t": "a"])
    #expect(try SessionFixture(SessionSigner.set([plain])).account(sessionKeys[key].sign(claims())) == account)
    let other = SessionSigner(sessionKeys[key].algorithm, id: sessionKeys[key].id)
    #expect(fixture.account(other.sign(claims())) == nil)
  }

  @Test func `A token without a key's name is one of the only key's`() throws {
    for key in sessionKeys {
      let token = key.sign(claims(), header: ["kid": nil])
      #expect(try SessionFixture(key.set).account(token) == account)
      #expect(try SessionFixture(SessionSigner.set([key.publicKey(["kid": nil])])).account(token) == account)
      #expect(try SessionFixture().account(token) == nil)
    }
  }

  @Test func `A name that no key has is refused, also with one key`() throws {
    for key in sessionKeys {
      for name in ["other", "", "key of", 1, ["key of ES256"]] as [Any] {
        let token = key.sign(claims(), header: ["kid": name])
        #expect(try SessionFixture().account(token) == nil)
        #expect(try SessionFixture(key.set).account(token) == nil)
      }
      let unnamed = SessionSigner.set([key.publicKey(["kid": nil])])
      #expect(try SessionFixture(unnamed).account(key.sign(claims())) == nil)
    }
  }

  @Test func `A token of another key's name is refused`() throws {
    let fixture = try SessionFixture()
    for key in sessionKeys {
      for other in sessionKeys where other.id != key.id {
        #expect(fixture.account(key.sign(claims(), header: ["kid": other.id])) == nil)
      }
    }
  }

  @Test func `No algorithm, and no signature, is refused`() throws {
    let fixture = try SessionFixture()
    for key in sessionKeys {
      let parts = key.sign(claims()).split(separator: ".")
      for name in ["none", "None", "NONE", "nOnE", "", "null", key.algorithm] {
        for kid in [#","kid":"\#(key.id!)""#, ""] {
          let header = StoreKitAuthority.base64URL(Array(#"{"alg":"\#(name)"\#(kid)}"#.utf8))
          for signature in ["", String(parts[2]), "AA", String(repeating: "A", count: 86)] {
            #expect(fixture.account("\(header).\(parts[1]).\(signature)") == nil)
          }
        }
      }
      #expect(fixture.account("\(parts[0]).\(parts[1]).") == nil)
      #expect(fixture.account("\(parts[0]).\(parts[1])") == nil)
    }
  }

  @Test func `A MAC with a public key as its secret is refused`() throws {
    let fixture = try SessionFixture()
    for key in sessionKeys {
      for secret in [key.publicKey, key.set, key.publicKey + "\n"] {
        for algorithm in ["HS256", "HS384", "HS512"] {
          let padded = Array(secret.utf8) + [UInt8](repeating: 0, count: max(0, 64 - secret.utf8.count))
          let forged = SessionSigner(algorithm, id: key.id, secret: padded).sign(claims())
          #expect(fixture.account(forged) == nil)
        }
      }
    }
    // Nor does a symmetric key in the file count.
    let symmetric = SessionSigner("HS256", id: "mac", secret: Array(repeating: 7, count: 64))
    let oct = #"{"kty":"oct","kid":"mac","alg":"HS256","k":"\#(String(repeating: "Bwc", count: 20))"}"#
    let mixed = try SessionFixture(SessionSigner.set([oct, sessionKeys[0].publicKey]))
    #expect(mixed.account(symmetric.sign(claims())) == nil)
    #expect(mixed.account(sessionKeys[0].sign(claims())) == account)
  }

  @Test(arguments: ["ES384", "ES512", "RS384", "RS512"])
  func `A good signature of another algorithm is refused`(_ algorithm: String) throws {
    let key = SessionSigner(algorithm, id: "k")
    let file = SessionSigner.set([key.publicKey, key.publicKey(["alg": nil, "kid": "l"]), sessionKeys[0].publicKey])
    let fixture = try SessionFixture(file)
    #expect(fixture.account(key.sign(claims())) == nil)
    #expect(fixture.account(key.sign(claims(), header: ["kid": "l"])) == nil)
  }

  @Test func `Header members that must be understood are refused, and others passed over`() throws {
    let fixture = try SessionFixture()
    for key in sessionKeys {
      for critical in [["exp"], [], ["b64"], "x"] as [Any] {
        #expect(fixture.account(key.sign(claims(), header: ["crit": critical])) == nil)
      }
      let header: [String: Any?] = ["jku": "https://evil.example/keys", "x5u": "https://evil.example", "cty": "a"]
      #expect(fixture.account(key.sign(claims(), header: header)) == account)
    }
  }

  @Test func `A key that the header brings is no key`() throws {
    let fixture = try SessionFixture()
    let own = SessionSigner("ES256", id: "key of ES256")
    let jwk = ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]
    #expect(fixture.account(own.sign(claims(), header: ["jwk": jwk])) == nil)
  }

  @Test func `It is valid from its first instant to just before its last`() throws {
    let fixture = try SessionFixture()
    let token = sessionKeys[0].sign(claims())
    for (microseconds, isValid) in [
      (1_795_953_599_999_999, false), (1_795_953_600_000_000, true), (1_795_953_600_999_999, true),
      (1_795_953_601_000_000, false), (0, false), (Int64.max, false), (.min, false),
    ] {
      #expect((fixture.account(token, at: Instant(microseconds: microseconds)) != nil) == isValid)
    }
    let fraction = sessionKeys[0].sign(claims(["exp": "1795953600.75", "nbf": nil]))
    #expect(fixture.account(fraction) == account)
    #expect(fixture.account(fraction, at: Instant(microseconds: 1_795_953_600_750_000)) == nil)
  }

  @Test(
    arguments: [
      ("exp", nil), ("exp", "null"), ("exp", #""1795953601""#), ("exp", "0"), ("exp", "-1"), ("exp", "[]"),
      ("exp", "true"),
      ("nbf", #""1795953600""#), ("nbf", "1795953601"), ("nbf", "1e300"), ("nbf", "{}"),
      ("sub", nil), ("sub", "null"), ("sub", "1"), ("sub", #""""#), ("sub", #""00000000-0000-0000-0000-000000000000""#),
      ("sub", #""5d0f9c0e8f434d4eb0a30f6d2f6a7c55""#), ("sub", #"["5d0f9c0e-8f43-4d4e-b0a3-0f6d2f6a7c55"]"#),
      ("sub", #""5d0f9c0e-8f43-4d4e-b0a3-0f6d2f6a7c55\u0000""#),
      ("sub", #""user|5d0f9c0e-8f43-4d4e-b0a3-0f6d2f6a7c55""#),
    ] as [(String, String?)])
  func `A claim that is missing or not what it should be is refused`(_ name: String, _ value: String?) throws {
    let fixture = try SessionFixture()
    for key in sessionKeys { #expect(fixture.account(key.sign(claims([name: value]))) == nil) }
  }

  @Test func `Claims that are no strict JSON object are refused`() throws {
    let fixture = try SessionFixture()
    let good = claims()
    for text in [
      "", "null", "[]", "\(good)x", "[\(good)]", String(good.dropLast()), good.replacing("{", with: #"{"exp":1,"#),
    ] {
      #expect(fixture.account(sessionKeys[0].sign(text)) == nil, "\(text)")
    }
  }

  @Test func `Issuer and audience are compared where they are configured`() throws {
    let fixture = try SessionFixture(issuer: "https://accounts.example", audience: "analytics")
    let key = sessionKeys[0]
    #expect(fixture.account(key.sign(claims())) == account)
    #expect(fixture.account(key.sign(claims(["aud": #"["other","analytics"]"#]))) == account)
    for value in [nil, "null", "1", #""https://accounts.example/""#, #""HTTPS://accounts.example""#, #""""#, "[]"] {
      #expect(fixture.account(key.sign(claims(["iss": value]))) == nil)
    }
    #expect(fixture.account(key.sign(claims(["iss": #"["https://accounts.example"]"#]))) == nil)
    for value in [nil, "null", "1", #""other""#, "[]", #"["other"]"#, "[1]", #"[["analytics"]]"#, #"{"analytics":1}"#] {
      #expect(fixture.account(key.sign(claims(["aud": value]))) == nil)
    }
    #expect(try SessionFixture().account(key.sign(claims(["aud": nil, "iss": nil]))) == account)
  }

  @Test func `A token longer than 4096 bytes is refused`() throws {
    let fixture = try SessionFixture()
    let key = sessionKeys[0]
    func token(_ padding: Int) -> String {
      key.sign(claims(["x": "\"" + String(repeating: "a", count: padding) + "\""]))
    }
    // Three bytes of claims are four of the token.
    let empty = token(0).utf8.count
    let longest = (SessionTokenVerifier.maximumLength - empty) / 4 * 3
    #expect(token(longest - 3).utf8.count <= 4096)
    #expect(fixture.account(token(longest - 3)) == account)
    #expect(token(longest + 4).utf8.count > 4096)
    #expect(fixture.account(token(longest + 4)) == nil)
    #expect(fixture.account(String(repeating: "a", count: 10_000_000)) == nil)
  }

  @Test func `A character changed anywhere makes it no session`() async throws {
    try await onBlockingThread {
      let fixture = try SessionFixture()
      var random = SeededGenerator(seed: "changed tokens")
      for key in sessionKeys {
        let good = Array(key.sign(claims()).utf8)
        for index in good.indices {
          var bad = good
          bad[index] ^= UInt8.random(in: 1...127, using: &random)
          #expect(fixture.account(String(decoding: bad, as: UTF8.self)) == nil, "\(key.algorithm), character \(index)")
          #expect(fixture.account(String(decoding: good.prefix(index), as: UTF8.self)) == nil)
        }
        for digit in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=."
        where digit.asciiValue != good.last {
          #expect(fixture.account(String(decoding: good.dropLast(), as: UTF8.self) + String(digit)) == nil)
        }
        for end in ["=", "A", ".", ".AA", " "] {
          #expect(fixture.account(String(decoding: good, as: UTF8.self) + end) == nil)
        }
      }
    }
  }

  @Test func `The other spelling of a token of ECDSA is told with it`() throws {
    let fixture = try SessionFixture()
    func session(_ token: String) -> AccessToken? { fixture.verifier.session(of: token, at: now) }
    for _ in 0..<20 {
      let token = sessionKeys[0].sign(claims())
      let twin = try twin(of: token)
      #expect(twin != token && session(twin)?.account == account)
      #expect(session(token)?.twin == Digest(hashing: twin))
      #expect(session(twin)?.twin == Digest(hashing: token))
    }
    for key in sessionKeys.dropFirst() {
      let token = key.sign(claims())
      #expect(session(token)?.twin == Digest(hashing: token))
    }
  }

  /// The token with the negative of its signature's second number.
  private func twin(of token: String) throws -> String {
    let parts = token.split(separator: ".")
    let base64 = String(parts[2]).replacing("-", with: "+").replacing("_", with: "/") + "=="
    var signature = Array(try #require(Data(base64Encoded: base64)))
    let number = BN_bin2bn(Array(signature.suffix(32)), 32, nil)
    var order: OpaquePointer?
    BN_hex2bn(&order, "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
    BN_sub(number, order, number)
    var other = [UInt8](repeating: 0, count: 32)
    BN_bn2binpad(number, &other, 32)
    BN_free(number)
    BN_free(order)
    signature.replaceSubrange(32..., with: other)
    return "\(parts[0]).\(parts[1]).\(StoreKitAuthority.base64URL(signature))"
  }

  @Test func `What is no token is refused`() throws {
    let fixture = try SessionFixture()
    var random = SeededGenerator(seed: "random tokens")
    for text in ["", ".", "..", "...", "a.b.c", "e30.e30.e30", "e30.e30.", Secret.random(prefix: "").text] {
      #expect(fixture.account(text) == nil)
    }
    for _ in 0..<500 {
      let parts = (0..<3).map { _ in
        StoreKitAuthority.base64URL((0..<40).map { _ in UInt8.random(in: .min ... .max, using: &random) })
      }
      #expect(fixture.account(parts.joined(separator: ".")) == nil)
    }
    let deep = StoreKitAuthority.base64URL(Array(String(repeating: "[", count: 2900).utf8))
    #expect(fixture.account("\(deep).e30.e30") == nil)
  }
}
