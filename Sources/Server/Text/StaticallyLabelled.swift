/// A value whose text is written in the source code.
///
/// Log fields and metric labels take text only as `StaticString`, directly or through this protocol. A `StaticString`
/// can't be made from a `String` at run time, so nothing that a client sent can reach a log line or a label: privacy
/// by construction instead of by review.
public protocol StaticallyLabelled: Sendable {
  /// The text that stands for this value, for example `keyboard_usage`. Never changes once released: dashboards and
  /// alerts are written against it.
  var label: StaticString { get }
}
