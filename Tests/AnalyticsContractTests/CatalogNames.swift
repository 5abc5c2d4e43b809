import AnalyticsContract
import Testing

@Suite struct CatalogNames {
  @Test func `Members have the names of the contract`() {
    let names = [
      "installationId", "events", "summaries", "clientEventId", "eventType", "occurredAt", "surface",
      "acquisitionChannel", "feature", "executionMode", "failureCategory", "durationBucket", "appVersion", "osVersion",
      "clientSummaryId", "summaryDate", "chineseCharacterCount", "englishCharacterCount", "otherCharacterCount",
      "inputSessionCount", "chineseOnlySessionCount", "englishOnlySessionCount", "mixedLanguageSessionCount",
      "otherOnlySessionCount", "facts", "factId", "type", "accountId", "tokenDigest", "expiresAt", "settlementId",
      "credits", "signedTransaction", "codeDigest", "referralId", "inviterAccountId", "inviteeAccountId",
    ]
    #expect(Set(WireMember.allCases.map(\.wireName.description)) == Set(names))
    #expect(WireMember.allCases.count == names.count)
  }

  @Test func `Dimensions and counters are carried by the members of their names`() {
    #expect(
      Dimension.allCases.map(\.member.wireName.description)
        == ["acquisitionChannel", "feature", "executionMode", "failureCategory", "durationBucket"])
    let counters: [UsageCounter: String] = [
      .chineseCharacters: "chineseCharacterCount", .englishCharacters: "englishCharacterCount",
      .otherCharacters: "otherCharacterCount", .inputSessions: "inputSessionCount",
      .chineseOnlySessions: "chineseOnlySessionCount", .englishOnlySessions: "englishOnlySessionCount",
      .mixedLanguageSessions: "mixedLanguageSessionCount", .otherOnlySessions: "otherOnlySessionCount",
    ]
    #expect(UsageCounter.allCases.count == 8)
    for counter in UsageCounter.allCases { #expect(counter.member.wireName.description == counters[counter]) }
  }

  @Test func `A set of members knows what was put in and nothing else`() {
    for member in WireMember.allCases {
      var set = WireMemberSet([member])
      let members = WireMember.allCases.filter { set.contains($0) }
      #expect(members == [member])
      let isNew = set.insert(member)
      #expect(!isNew)
      #expect(WireMemberSet(WireMember.allCases).isSuperset(of: set))
      #expect(!WireMemberSet(WireMember.allCases.filter { $0 != member }).isSuperset(of: set))
      #expect(set.isSuperset(of: WireMemberSet()))
    }
  }
}
