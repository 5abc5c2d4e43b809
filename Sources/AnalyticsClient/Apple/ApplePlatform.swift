import Foundation

/// The few things that only Apple's systems have. Elsewhere they do nothing.
enum ApplePlatform {
  /// Protects the client's folder: its files can be read from the first unlock after a start on, also in the background,
  /// and are left out of backups, as two devices restored from one backup must not share an identity.
  static func prepare(_ path: String) {
    #if canImport(Darwin)
      #if os(iOS)
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
      #endif
      var url = URL(fileURLWithPath: path, isDirectory: true)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? url.setResourceValues(values)
    #endif
  }

  /// The container of an App Group; `nil` where the app does not belong to it, or the system does not give it yet.
  static func container(ofGroup identifier: String) -> String? {
    #if canImport(Darwin)
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier)?.path
    #else
      nil
    #endif
  }

  /// Does some work with the system's promise not to suspend the process meanwhile, in apps and in extensions.
  /// - Parameter work: is given true where the system gives no time, and should end quickly then.
  static func withoutSuspension(_ work: @escaping @Sendable (_ isExpired: Bool) -> Void) {
    #if os(iOS)
      ProcessInfo.processInfo.performExpiringActivity(withReason: "OSGAnalytics writes its queue", using: work)
    #else
      work(false)
    #endif
  }
}
