/// Why a signed transaction is not believed: a class of reasons that can be counted, never what it held.
public enum StoreKitRefusal: Error, CaseIterable, Sendable {
  /// It is no compact JWS with a JSON header, or it is longer than 64 KiB.
  case malformed
  /// The header names another algorithm than ES256, or extensions that must be understood.
  case algorithm
  /// The header does not carry three certificates.
  case certificates
  /// The last certificate is no configured root.
  case root
  /// A certificate lacks the mark by which Apple tells what it is for.
  case mark
  /// The leaf's key is not for signatures on the curve P-256.
  case key
  /// The certificates don't form a chain that was valid when the transaction was signed.
  case chain
  /// The signature is not the leaf's.
  case signature
  /// It is of another app.
  case bundle
  /// It comes from an environment that is not accepted here.
  case environment
  /// A member of the transaction is missing or not what it should be.
  case payload

  /// The label.
  public var label: StaticString {
    switch self {
    case .malformed: "malformed"
    case .algorithm: "algorithm"
    case .certificates: "certificates"
    case .root: "root"
    case .mark: "mark"
    case .key: "key"
    case .chain: "chain"
    case .signature: "signature"
    case .bundle: "bundle"
    case .environment: "environment"
    case .payload: "payload"
    }
  }
}
