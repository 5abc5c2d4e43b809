internal import CMicroHTTPD
import Glibc

/// Checks that the header lines lie in memory as lines that each end with CRLF do.
///
/// libmicrohttpd 0.9.75 reads leniently what proxies read in other ways: it ends a line at a lone LF, cuts a value at a
/// NUL, joins folded lines, and takes a line without a name (`: x`) for the end of the head. It parses in place, so each
/// of these leaves a gap or an overlap between the pieces. Other versions may keep their pieces elsewhere, and refuse
/// these things themselves: for them nothing is checked.
struct HeadLayout {
  private static let applies = strcmp(MHD_get_version(), "0.9.75") == 0

  private(set) var isIntact = true
  private var next: UnsafePointer<CChar>

  /// - Parameter version: the last word of the request line, which is always eight bytes long.
  init(version: UnsafePointer<CChar>) { next = version + 8 + 2 }

  /// Takes one header line.
  mutating func add(name: UnsafePointer<CChar>?, value: UnsafePointer<CChar>?) {
    guard let name, let value, name == next else {
      isIntact = isIntact && !Self.applies
      return
    }
    next = value + strlen(value) + 2
  }

  /// Takes the place where the head ends, after its empty line.
  mutating func finish(_ end: UnsafePointer<CChar>) {
    if end != next + 2 { isIntact = isIntact && !Self.applies }
  }
}
