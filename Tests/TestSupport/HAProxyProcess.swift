import Foundation

/// HAProxy with the project's configuration in front of the nodes of a test, on a port of 127.0.0.1.
public final class HAProxyProcess: @unchecked Sendable {
  /// The port for clients.
  public let port: UInt16
  private let folder: TemporaryFolder
  private let process: ChildProcess

  /// Starts HAProxy and waits until it accepts connections.
  /// - Parameters:
  ///   - nodes: the ports of the nodes, at most three.
  ///   - patience: how many seconds a node may take for an answer, where a test can't wait as long as clients do.
  /// - Throws: `ServerProcessError/silent(log:)` with what it wrote when it doesn't start.
  public init(nodes: [UInt16], patience: Int? = nil) throws {
    port = FreePort.take()
    var environment = childEnvironment()
    environment["OSG_ANALYTICS_PROXY_LISTEN"] = "127.0.0.1:\(port)"
    for (index, node) in nodes.enumerated() { environment["OSG_ANALYTICS_NODE_\(index + 1)"] = "127.0.0.1:\(node)" }
    folder = try TemporaryFolder()
    do {
      let file = folder.file("haproxy.cfg")
      try Self.configuration(patience).write(toFile: file, atomically: true, encoding: .utf8)
      let log = folder.file("haproxy.log")
      let process = try ChildProcess(
        ["haproxy", "-db", "-f", file], environment: environment, folder: folder.path, output: log, error: log)
      self.process = process
      let port = port
      let accepts = waitUntil(seconds: 20) {
        process.exitStatus != nil || (try? HTTPConnection(port: port)) != nil
      }
      guard accepts, process.exitStatus == nil else {
        process.end()
        throw ServerProcessError.silent(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
      }
    } catch {
      folder.remove()
      throw error
    }
  }

  /// Ends it and removes its files.
  public func remove() {
    process.end()
    folder.remove()
  }

  /// The project's own configuration, but for the lines that change the user: the test may not be able to, and the kernel
  /// would forget that the process ends with the test's.
  private static func configuration(_ patience: Int?) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Deployment/haproxy.cfg")
    let text = try String(contentsOf: file, encoding: .utf8)
    let omitted = ["user ", "group ", "chroot "]
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { line in !omitted.contains { line.trimmingCharacters(in: .whitespaces).hasPrefix($0) } }
      .map { line in
        guard let patience, line.hasPrefix("  timeout server ") else { return String(line) }
        return "  timeout server \(patience)s"
      }
      .joined(separator: "\n") + "\n"
  }
}
