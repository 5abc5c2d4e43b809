/// What tells Apple's systems which apps open invitation links: `/.well-known/apple-app-site-association`.
enum AppSiteAssociation {
  static let path: StaticString = "/.well-known/apple-app-site-association"

  /// The document.
  /// - Parameter appIDs: the apps, as `TEAM.BUNDLE`: in an alphabet that JSON needs no escapes for.
  /// - Returns: `nil` where no app is configured.
  static func document(_ appIDs: [String]) -> [UInt8]? {
    if appIDs.isEmpty { return nil }
    let list = appIDs.map { "\"\($0)\"" }.joined(separator: ",")
    return Array(#"{"applinks":{"details":[{"appIDs":[\#(list)],"components":[{"/":"/i/*"}]}]}}"#.utf8)
  }
}
