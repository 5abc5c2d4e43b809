import Testing

@testable import Server

/// Reads a command line that is written as one string.
func invocation(_ line: String, _ environment: [String: String] = [:]) throws(UsageError) -> Invocation {
  try CommandLineParser.parse(line.split(separator: " ").map(String.init), environment: environment)
}

/// The configuration that `serve` would run with.
func serve(_ line: String = "", _ environment: [String: String] = [:]) throws -> ServerConfiguration {
  guard case .serve(let configuration) = try invocation(line, environment) else {
    throw UsageError("the line doesn't serve")
  }
  return configuration
}

/// The text that would be printed.
func text(_ line: String, _ environment: [String: String] = [:]) throws -> String {
  guard case .text(let text) = try invocation(line, environment) else { throw UsageError("the line prints nothing") }
  return text
}

/// What is said about a line that is wrong.
func complaint(
  _ line: String, _ environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
) -> String {
  do {
    _ = try invocation(line, environment)
    Issue.record("expected a usage error of: \(line)", sourceLocation: sourceLocation)
    return ""
  } catch {
    return error.message
  }
}
