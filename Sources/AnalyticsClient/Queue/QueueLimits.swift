/// The bounds of the queue. What goes first is ``EvictionRank``'s order.
struct QueueLimits: Sendable {
  /// The most events on the disk, those of all processes together.
  var events = 10_000
  /// The most bytes of all segments together.
  var bytes = 5_000_000
  /// How long an event waits, in seconds: a day less than the server would take it.
  var ageSeconds: Int64 = 34 * 86_400
  /// How far a device's clock may be ahead of the server's, in seconds; later events wait until their time has come.
  var leadSeconds: Int64 = 240

  /// What is left after room was made: some less than the bound, so that a full queue isn't looked through at every write.
  var eventsAfterEviction: Int { events - events / 20 }
}
