/// Two ids, in the order of their row key.
@usableFromInline
package struct PairKey: QuickKey, Comparable {
    @usableFromInline package let first: UInt128
    @usableFromInline package let second: UInt128

    @inlinable
    package init(_ first: UInt128, _ second: UInt128) { (self.first, self.second) = (first, second) }

    @inlinable @inline(__always)
    package var quickHash: Int { RowIndex.hash(first) ^ RowIndex.hash(second &+ 1) }

    @inlinable
    package static func < (left: PairKey, right: PairKey) -> Bool {
        left.first == right.first ? left.second < right.second : left.first < right.first
    }
}
