/// FNV-1a over records, with 64 bits. It distinguishes histories but does not resist attackers.
package struct RunningDigest: Hashable, Sendable {
    /// The digest of everything added so far.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The digest of no records.
    package init() {}

    /// Adds a record's bytes.
    package mutating func add(_ bytes: Span<UInt8>) {
        var sum = value
        for index in bytes.indices { sum = (sum ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        value = sum
    }
}
