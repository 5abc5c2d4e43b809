import Glibc
import Server

var environment: [String: String] = [:]
var entry = environ
while let text = entry.pointee {
  let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
  if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
  entry += 1
}
// Not `exit`: that would run the handlers of libraries while threads of the database still end. OpenSSL's frees what such a
// thread frees too, and a server that has stopped in order would crash. Everything that the program writes is written.
_exit(await Program.run(Array(CommandLine.arguments.dropFirst()), environment: environment))
