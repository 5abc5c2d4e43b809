import Foundation

/// A fenced block of a document.
struct DocumentBlock {
  /// What follows the opening fence; empty where nothing does.
  let language: String
  /// The lines between the fences.
  let text: String
}

/// The text of a page of docs.
func documentText(_ name: String) throws -> String {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs")
  return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
}

/// The fenced blocks of a page of docs, in order.
func documentBlocks(_ name: String) throws -> [DocumentBlock] {
  var blocks: [DocumentBlock] = []
  var open: (language: String, lines: [Substring])?
  for line in try documentText(name).split(separator: "\n", omittingEmptySubsequences: false) {
    if let block = open, line == "```" {
      blocks.append(DocumentBlock(language: block.language, text: block.lines.joined(separator: "\n")))
      open = nil
    } else if open != nil {
      open?.lines.append(line)
    } else if line.hasPrefix("```") {
      open = (String(line.dropFirst(3)), [])
    }
  }
  return blocks
}
