/// Where a text came from that the keyboard put into a document. Only what was typed and committed by hand is counted.
public enum InsertionSource: CaseIterable, Sendable {
  /// Typed on this keyboard and committed by hand: a key, a candidate that was chosen, a composition that was confirmed.
  case manual
  /// A transcript of speech.
  case voice
  /// Output of an AI feature.
  case ai
  /// From the clipboard.
  case paste
  /// Anything else that the user did not type: shortcuts, undo, restored text.
  case automatic
}
