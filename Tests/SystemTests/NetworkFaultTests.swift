import Foundation
import TestSupport
import Testing

extension PostgreSQLFaultTests {
  /// The way between the nodes and the database.
  @Suite("Network to the database")
  struct Network {
    /// Nodes that reach the database each through a network of its own.
    private func withNetworks(
      _ name: String, _ body: (FaultRig, [TCPProxy], PostgreSQLCluster) async throws -> Void
    ) async throws {
      try await withCluster { cluster in
        let networks = try (0..<3).map { _ in try TCPProxy(to: cluster.port) }
        defer { for network in networks { network.remove() } }
        try await withRig(name, databases: networks.map { cluster.serverDatabase(url: cluster.url(ports: [$0.port])) })
        { rig in
          try await body(rig, networks, cluster)
        }
      }
    }

    @Test("connections that break at any byte, at full speed and with 50 ms each way")
    func breaking() async throws {
      try await withNetworks("breaking") { rig, networks, cluster in
        for (delay, batches) in FaultRig.isSoak ? [(0, 10_000), (50, 1_000)] : [(0, 300), (50, 50)] {
          let before = networks.map(\.madeCount).reduce(0, +)
          for (index, network) in networks.enumerated() {
            network.delay(milliseconds: delay)
            let bytes = delay == 0 ? 2_000...200_000 : 3_000...60_000
            network.cut(TCPProxy.Cuts(bytes: bytes, seed: "breaking \(delay) \(index)"))
            network.dropAll()
          }
          #expect(rig.load.waitForProgress(batches, seconds: FaultRig.isSoak ? 900 : 60))
          #expect(networks.map(\.madeCount).reduce(0, +) >= before + 10, "connections broke")
        }
        for network in networks {
          network.delay(milliseconds: 0)
          network.cut(nil)
        }
        try await rig.expectService()
        try await rig.finish(on: cluster)
      }
    }

    @Test("a network that refuses everything, or swallows it, of one node and of all")
    func closed() async throws {
      try await withNetworks("closed") { rig, networks, cluster in
        for round in 0..<(FaultRig.isSoak ? 10 : 1) {
          // The database never hears that the node is gone, and neither does the node: what it has locked must become
          // free nevertheless.
          #expect(rig.load.waitForProgress(60 + round * 7))
          networks[round % 3].set(.silent)
          try await rig.expectService(rig.nodes.filter { $0 !== rig.nodes[round % 3] })
          networks[round % 3].set(.forwarding)
          try await rig.expectService()

          for mode in [TCPProxy.Mode.refusing, .silent] {
            #expect(rig.load.waitForProgress(60))
            for network in networks {
              network.set(mode)
              if mode == .refusing { network.dropAll() }
            }
            try await rig.expectUnready()
            for network in networks { network.set(.forwarding) }
            try await rig.expectService()
          }
        }
        try await rig.finish(on: cluster)
      }
    }
  }
}
