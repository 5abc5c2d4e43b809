import Glibc
import HTTPServer

/// Why a server did not start that is neither the database's nor the listener's fault.
public enum StartError: Error, CustomStringConvertible {
  /// A file that the configuration names can't be read.
  case unreadableFile(path: String, reason: String)

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .unreadableFile(let path, let reason):
      "The file \(path) can't be read (\(reason)). Check the path and its permissions."
    }
  }
}

/// Reads the certificate and key that TLS is served with.
enum TLSFiles {
  static func read(_ files: ServerConfiguration.TLSFiles) throws(StartError) -> HTTPServer.TLS {
    HTTPServer.TLS(certificate: try contents(of: files.certificate), key: try contents(of: files.key))
  }

  private static func contents(of path: String) throws(StartError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .unreadableFile(path: path, reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 { throw .unreadableFile(path: path, reason: String(cString: strerror(errno))) }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
    }
  }
}
