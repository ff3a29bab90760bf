/// A key that the service made itself, for tables in memory.
///
/// `Dictionary` hashes with SipHash against keys that somebody chose to collide, which is most of the time that a look-up takes.
/// Nobody can choose these: ids are random or the service's clock.
@usableFromInline
package protocol QuickKey: Equatable, Sendable {
    /// Spread over all bits; equal keys have equal hashes.
    var quickHash: Int { get }
}

extension UInt128: QuickKey {
    @inlinable @inline(__always)
    package var quickHash: Int { RowIndex.hash(self) }
}
