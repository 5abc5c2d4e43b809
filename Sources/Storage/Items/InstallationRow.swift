import AnalyticsContract

/// What the store remembers of an installation, as far as a batch is judged by it.
struct InstallationRow {
  let key: Int64
  let account: UUIDValue?
  let lastSeenDay: Int64
  let firstOpenEventID: UUIDValue?
  let firstOpen: FirstOpen?
}
