/// Keys in the order of their bytes, as LMDB has them.
enum KeyOrder {
    /// Negative, zero or positive.
    static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }
}
