/// A call to the file system that failed. It names the call and the system's error number, never a path or content.
struct FileError: Error, Equatable {
  /// The call.
  let operation: StaticString
  /// The system's error number (`errno`).
  let code: Int32

  static func == (left: FileError, right: FileError) -> Bool {
    left.code == right.code && left.operation.description == right.operation.description
  }
}
