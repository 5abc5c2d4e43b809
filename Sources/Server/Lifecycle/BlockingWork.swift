import Dispatch

/// Runs work that blocks on a thread that is not one of the few that all tasks share.
func onOwnThread<Value: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
    DispatchQueue.global().async {
      continuation.resume(returning: Result { () throws(Failure) in try work() })
    }
  }
  return try result.get()
}
