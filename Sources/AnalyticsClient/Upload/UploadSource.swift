import AnalyticsContract

/// A store whose items the uploader delivers: the queue of events, and the finalised keyboard usage summaries.
///
/// The uploader looks at the oldest items, sends them, and tells the store what became of them. Between
/// ``peek(limit:)`` and the answer the process may be killed or another process may deliver the same items: the server
/// recognises them by their ids, so a store has only to keep what nobody confirmed, and never to change it.
///
/// All calls of one pass come one after the other from one task. They may touch the disk, and must not wait for
/// anything else.
protocol UploadSource: Sendable {
  /// An item as the store knows it: what is sent, and where it lies.
  associatedtype Item: Sendable

  /// Where the items go.
  var endpoint: IngestionEndpoint { get }

  /// A pass begins: the time to claim what other processes left.
  func begin()

  /// The oldest items that may be sent now, oldest first. Calls without a removal in between give the same items in
  /// the same order, with the same ids and values, also in another process and after a restart.
  /// - Parameter limit: the most items, 1 to ``ContractLimits/maximumItems``.
  /// - Returns: the items.
  func peek(limit: Int) -> [Item]

  /// What goes onto the wire for some items, in their order.
  func contents(of items: [Item]) -> BatchItems

  /// The server has confirmed these items, or counted them as sent before. Items that are gone already are no error.
  func remove(_ items: [Item])

  /// The server refuses this item for ever: it is dropped and counted, and nothing of it is kept.
  func quarantine(_ item: Item)

  /// The pass is over, whatever its outcome: the time to give claims back.
  func end()
}

extension UploadSource {
  /// Nothing to claim.
  func begin() {}

  /// Nothing to give back.
  func end() {}
}
