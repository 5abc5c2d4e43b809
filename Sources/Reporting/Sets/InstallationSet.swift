import CRoaring

/// A set of installations, by their keys, as a compressed bitmap: unions and intersections of hundreds of thousands
/// take microseconds. Used by one thread at a time.
public final class InstallationSet {
  private var bitmap: UnsafeMutablePointer<roaring_bitmap_t>

  /// The largest key that a set can hold.
  public static let maximumKey = Int64(UInt32.max)

  /// The empty set.
  public init() { bitmap = roaring_bitmap_create()! }

  /// Reads a set from the form of ``serialized()``; `nil` where the bytes are not a set.
  /// - Parameter bytes: the bytes.
  public init?(serialized bytes: UnsafeRawBufferPointer) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    // The length is looked at first: reading itself trusts what it is given.
    guard let start, roaring_bitmap_portable_deserialize_size(start, bytes.count) == bytes.count,
      let bitmap = roaring_bitmap_portable_deserialize_safe(start, bytes.count)
    else { return nil }
    self.bitmap = bitmap
  }

  private init(taking bitmap: UnsafeMutablePointer<roaring_bitmap_t>) { self.bitmap = bitmap }

  deinit { roaring_bitmap_free(bitmap) }

  /// How many installations are in the set.
  public var count: Int64 { Int64(roaring_bitmap_get_cardinality(bitmap)) }

  /// Whether the set is empty.
  public var isEmpty: Bool { roaring_bitmap_is_empty(bitmap) }

  /// Whether the installation with a key is in the set.
  public func contains(_ key: UInt32) -> Bool { roaring_bitmap_contains(bitmap, key) }

  /// Adds installations.
  /// - Parameter keys: their keys.
  public func insert(_ keys: [UInt32]) {
    keys.withUnsafeBufferPointer { roaring_bitmap_add_many(bitmap, $0.count, $0.baseAddress) }
  }

  /// Adds the installations of another set.
  /// - Parameter other: the set.
  public func formUnion(_ other: InstallationSet) { roaring_bitmap_or_inplace(bitmap, other.bitmap) }

  /// Takes out the installations of another set.
  /// - Parameter other: the set.
  public func subtract(_ other: InstallationSet) { roaring_bitmap_andnot_inplace(bitmap, other.bitmap) }

  /// How many installations are in both sets.
  /// - Parameter other: the other set.
  /// - Returns: their number.
  public func intersectionCount(_ other: InstallationSet) -> Int64 {
    Int64(roaring_bitmap_and_cardinality(bitmap, other.bitmap))
  }

  /// The union of sets.
  /// - Parameter sets: the sets.
  /// - Returns: a new set.
  public static func union(_ sets: [InstallationSet]) -> InstallationSet {
    var bitmaps = sets.map { UnsafePointer<roaring_bitmap_t>?($0.bitmap) }
    let union = bitmaps.withUnsafeMutableBufferPointer {
      roaring_bitmap_or_many($0.count, $0.baseAddress)!
    }
    return InstallationSet(taking: union)
  }

  /// The keys in ascending order.
  public var keys: [UInt32] {
    [UInt32](unsafeUninitializedCapacity: Int(count)) { buffer, count in
      roaring_bitmap_to_uint32_array(bitmap, buffer.baseAddress)
      count = buffer.count
    }
  }

  /// The set in Roaring's portable form (its format specification), runs compressed: what databases keep.
  public func serialized() -> [UInt8] {
    roaring_bitmap_run_optimize(bitmap)
    let size = roaring_bitmap_portable_size_in_bytes(bitmap)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) {
        count = roaring_bitmap_portable_serialize(bitmap, $0.baseAddress)
      }
    }
  }
}

extension InstallationSet: Equatable {
  /// Whether two sets have the same installations.
  public static func == (left: InstallationSet, right: InstallationSet) -> Bool {
    roaring_bitmap_equals(left.bitmap, right.bitmap)
  }
}
