/// The complete subtrees that a range of leaves is made of, from left to right: the largest first, each half as large at most.
///
/// A tree of 13 leaves is one of 8, one of 4 and one of 1: the bits of its size.
struct CompleteSubtrees: Sequence, IteratorProtocol {
    private var rest: Range<UInt64>

    /// The range must begin at a multiple of the largest power of two that it holds, as those of RFC 6962 do.
    init(of leaves: Range<UInt64>) { rest = leaves }

    /// The next subtree: the binary logarithm of its leaves, and which one of that size it is, counted from 0.
    mutating func next() -> (height: Int, index: UInt64)? {
        guard !rest.isEmpty else { return nil }
        let height = UInt64.bitWidth - 1 - (rest.upperBound - rest.lowerBound).leadingZeroBitCount
        let index = rest.lowerBound >> UInt64(height)
        rest = (rest.lowerBound + 1 << UInt64(height))..<rest.upperBound
        return (height, index)
    }
}
