/// Where the service takes its randomness from; handed in, so that a run can be repeated to the same bytes.
public protocol Randomness: Sendable {
    /// A number that nobody can foresee.
    func next() -> UInt64
}

extension Randomness {
    /// `count` unforeseeable bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = next()
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
