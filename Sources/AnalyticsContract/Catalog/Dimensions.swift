/// Where an event happened.
public enum Surface: UInt8, CatalogValue {
  /// The containing app.
  case app = 1
  /// The keyboard extension.
  case keyboard = 2
  /// The first-party invitation page.
  case inviteWeb = 3

  /// The name on the wire.
  public var wireName: StaticString {
    switch self {
    case .app: "APP"
    case .keyboard: "KEYBOARD"
    case .inviteWeb: "INVITE_WEB"
    }
  }
}

/// How an installation came to the product, as far as the app can tell.
public enum AcquisitionChannel: UInt8, CatalogValue {
  /// Found in the App Store.
  case appStoreOrganic = 1
  /// Invited by another user.
  case referral = 2
  /// Came from content on a social network.
  case socialContent = 3
  /// Not known.
  case unknown = 4

  /// The name on the wire.
  public var wireName: StaticString {
    switch self {
    case .appStoreOrganic: "APP_STORE_ORGANIC"
    case .referral: "REFERRAL"
    case .socialContent: "SOCIAL_CONTENT"
    case .unknown: "UNKNOWN"
    }
  }
}

/// The AI feature that an event or a settlement is about.
public enum Feature: UInt8, CatalogValue {
  /// Speech to text.
  case transcription = 1
  /// Rewriting of text.
  case polish = 2
  /// The chat assistant.
  case aiAssistant = 3
  /// The agent.
  case agent = 4
  /// Personal vocabulary.
  case hotword = 5
  /// Any other feature.
  case other = 6

  /// The name on the wire.
  public var wireName: StaticString {
    switch self {
    case .transcription: "TRANSCRIPTION"
    case .polish: "POLISH"
    case .aiAssistant: "AI_ASSISTANT"
    case .agent: "AGENT"
    case .hotword: "HOTWORD"
    case .other: "OTHER"
    }
  }
}

/// Who executed an AI operation.
public enum ExecutionMode: UInt8, CatalogValue {
  /// The account server, paid with credits.
  case managed = 1
  /// The device itself.
  case local = 2
  /// A provider with the user's own key.
  case byok = 3

  /// The name on the wire.
  public var wireName: StaticString {
    switch self {
    case .managed: "MANAGED"
    case .local: "LOCAL"
    case .byok: "BYOK"
    }
  }
}

/// Why an operation did not succeed, as a class and never as a message.
public enum FailureCategory: UInt8, CatalogValue {
  /// The network was not available or broke.
  case network = 1
  /// The provider refused or failed.
  case provider = 2
  /// It took too long.
  case timeout = 3
  /// The user cancelled it.
  case cancelled = 4
  /// The account had too few credits.
  case insufficientCredits = 5
  /// The input was not acceptable.
  case validation = 6
  /// None of the others.
  case unknown = 7

  /// The name on the wire.
  public var wireName: StaticString {
    switch self {
    case .network: "NETWORK"
    case .provider: "PROVIDER"
    case .timeout: "TIMEOUT"
    case .cancelled: "CANCELLED"
    case .insufficientCredits: "INSUFFICIENT_CREDITS"
    case .validation: "VALIDATION"
    case .unknown: "UNKNOWN"
    }
  }
}

/// How long an operation took, as a bucket.
public enum DurationBucket: UInt8, CatalogValue {
  /// Less than 1 s.
  case under1s = 1
  /// From 1 s to less than 3 s.
  case from1To3s = 2
  /// From 3 s to less than 10 s.
  case from3To10s = 3
  /// From 10 s to less than 30 s.
  case from10To30s = 4
  /// 30 s or more.
  case atLeast30s = 5

  /// The name on the wire.
  public var wireName: StaticString {
    switch self {
    case .under1s: "LT_1S"
    case .from1To3s: "S1_TO_3"
    case .from3To10s: "S3_TO_10"
    case .from10To30s: "S10_TO_30"
    case .atLeast30s: "GTE_30S"
    }
  }
}

/// The dimensions that depend on the event's type. `surface` is not among them: every event has one.
public enum Dimension: UInt8, CaseIterable, Sendable {
  /// See ``AnalyticsContract/AcquisitionChannel``.
  case acquisitionChannel
  /// See ``AnalyticsContract/Feature``.
  case feature
  /// See ``AnalyticsContract/ExecutionMode``.
  case executionMode
  /// See ``AnalyticsContract/FailureCategory``.
  case failureCategory
  /// See ``AnalyticsContract/DurationBucket``.
  case durationBucket

  /// The member that carries the dimension on the wire.
  public var member: WireMember {
    switch self {
    case .acquisitionChannel: .acquisitionChannel
    case .feature: .feature
    case .executionMode: .executionMode
    case .failureCategory: .failureCategory
    case .durationBucket: .durationBucket
    }
  }
}
