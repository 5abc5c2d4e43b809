import AnalyticsContract
import Testing

@Suite struct Violations {
  @Test func `Rules have permanent names, and the structural ones are those that a 400 names`() {
    let structural: Set = [
      "invalid_json", "invalid_gzip", "wrong_type", "unknown_member", "duplicate_member", "missing_member",
      "item_count",
    ]
    let values: Set = [
      "required", "not_allowed", "unknown_value", "uuid", "timestamp", "date", "too_old", "in_future", "version",
      "identity_missing", "identity_conflict", "out_of_range", "session_kinds_do_not_add_up",
      "fewer_characters_than_sessions", "digest", "not_verified", "unknown_parameter", "duplicate_parameter",
    ]
    #expect(Set(ViolationRule.allCases.map(\.rawValue)) == structural.union(values))
    for rule in ViolationRule.allCases { #expect(rule.isStructural == structural.contains(rule.rawValue)) }
  }

  @Test func `A path is a JSON pointer to the root, a member, an item or an item's member`() {
    #expect(Violation(.invalidJSON).path == "")
    #expect(Violation(.identityMissing, member: .installationId).path == "/installationId")
    #expect(Violation(.itemCount, member: .events).path == "/events")
    #expect(Violation(.unknownMember, collection: .events, index: 0).path == "/events/0")
    #expect(
      Violation(.required, collection: .events, index: 3, member: .durationBucket).path == "/events/3/durationBucket")
    #expect(
      Violation(.outOfRange, collection: .summaries, index: 49, member: .otherOnlySessionCount).path
        == "/summaries/49/otherOnlySessionCount")
  }

  @Test func `Violations are equal where place and rule are`() {
    let violation = Violation(.uuid, collection: .events, index: 1, member: .clientEventId)
    var other = violation
    #expect(violation == other)
    other.index = 2
    #expect(violation != other)
    #expect(violation != Violation(.timestamp, collection: .events, index: 1, member: .clientEventId))
  }
}
