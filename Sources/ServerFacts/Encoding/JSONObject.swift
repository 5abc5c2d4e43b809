import CJOSE

/// A JSON object as jansson reads it: nested at most 2,048 deep, no member twice, no NUL in a text, nothing after it.
struct JSONObject: ~Copyable {
  /// The object, which lives as long as this value does.
  let pointer: UnsafeMutablePointer<json_t>

  /// - Parameter bytes: the object in UTF-8; anything else gives `nil`.
  init?(_ bytes: [UInt8]) {
    let parsed = bytes.withUnsafeBytes {
      json_loadb($0.baseAddress, $0.count, Int(JSON_REJECT_DUPLICATES), nil)
    }
    guard let parsed else { return nil }
    guard parsed.pointee.type == JSON_OBJECT else {
      json_decref(parsed)
      return nil
    }
    pointer = parsed
  }

  deinit { json_decref(pointer) }

  /// A member, which lives as long as the object does; a `null` counts as absent.
  subscript(_ name: StaticString) -> JSONMember? { JSONMember(pointer: pointer)[name] }

  /// Whether there is a member of that name, be it `null`.
  func has(_ name: StaticString) -> Bool { JSONMember(pointer: pointer).value(name) != nil }
}

/// A value inside a ``JSONObject``; valid while the object is.
struct JSONMember {
  let pointer: UnsafeMutablePointer<json_t>

  /// A member of it, where it is an object; a `null` counts as absent.
  subscript(_ name: StaticString) -> JSONMember? {
    value(name).flatMap { $0.pointee.type == JSON_NULL ? nil : JSONMember(pointer: $0) }
  }

  fileprivate func value(_ name: StaticString) -> UnsafeMutablePointer<json_t>? {
    // A static string ends with a NUL. What is no object has no members.
    name.withUTF8Buffer { $0.withMemoryRebound(to: CChar.self) { json_object_get(pointer, $0.baseAddress) } }
  }

  /// The text, where it is one.
  var text: String? {
    guard pointer.pointee.type == JSON_STRING, let start = json_string_value(pointer) else { return nil }
    return String(
      decoding: UnsafeRawBufferPointer(start: start, count: json_string_length(pointer)), as: UTF8.self)
  }

  /// The whole number, where it is one; 5.0 is 5.
  var integer: Int64? {
    switch pointer.pointee.type {
    case JSON_INTEGER: json_integer_value(pointer)
    case JSON_REAL: Int64(exactly: json_real_value(pointer))
    default: nil
    }
  }

  /// The number, where it is one.
  var number: Double? {
    switch pointer.pointee.type {
    case JSON_INTEGER, JSON_REAL: json_number_value(pointer)
    default: nil
    }
  }

  /// The elements, where it is an array.
  var elements: [JSONMember]? {
    guard pointer.pointee.type == JSON_ARRAY else { return nil }
    return (0..<json_array_size(pointer)).map { JSONMember(pointer: json_array_get(pointer, $0)) }
  }
}
