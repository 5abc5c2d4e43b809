import Dispatch

/// Runs work that blocks on a thread that is not one of the few that all tasks share.
func onOwnThread(_ work: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      work()
      continuation.resume()
    }
  }
}
