import AnalyticsContract
import ServerFacts

/// What `serve --welcome` prints once it listens: the addresses, the first token, and a first batch to send.
struct Welcome {
  private let base: String
  private let adminBase: String
  private let firstToken: Secret?
  private let now: Instant

  init(_ configuration: ServerConfiguration, _ server: AnalyticsServer, _ firstToken: Secret?) {
    self.firstToken = firstToken
    now = configuration.common.serverClock.now
    let scheme = configuration.tls == nil ? "http" : "https"
    func url(_ address: ListenAddress, _ port: UInt16) -> String {
      // What accepts connections for every address of the machine is tried on this machine.
      let any = address.host == "0.0.0.0" || address.host == "::"
      let host = address.family == .ipv4 ? (any ? "127.0.0.1" : address.host) : "[\(any ? "::1" : address.host)]"
      return "\(scheme)://\(host):\(port)"
    }
    base = url(configuration.listen, server.ports.client)
    adminBase = configuration.adminListen.map { url($0, server.ports.admin ?? 0) } ?? base
  }

  var text: String {
    let event = Event(
      clientEventID: .random(), occurredAt: now, kind: .sessionStarted(on: .app),
      appVersion: ReleaseVersion("2.1.0"), osVersion: ReleaseVersion("26.0.1"))
    let batch = Batch(installation: InstallationID(.random())!, items: .events([event]))
    let token = firstToken.map {
      """
        Token     \($0.text)
                  for /v1/admin/, shown this once


      """
    }
    return """

      OSG Analytics \(productVersion) is ready.

        Batches   \(base)\(IngestionEndpoint.events.path)
                  \(base)\(IngestionEndpoint.keyboardUsage.path)
        Health    \(base)/readyz
        Metrics   \(adminBase)/metrics

      \(token ?? "")Send a first event. Sent again, it is replayed:

        curl -H 'Content-Type: application/json' \(base)\(IngestionEndpoint.events.path) \\
          -d '\(String(decoding: batch.body(), as: UTF8.self))'

      Tokens: \(CommandLine.arguments[0]) token --help
      Stop with Ctrl-C.


      """
  }
}
