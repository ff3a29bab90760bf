/// Values that may come only once, each held as 64 bits: 16 bytes on average, 32 right after it has grown.
///
/// Two different values are taken for one with a chance of n² / 2⁶⁵, which for a hundred million of them is one in four thousand.
struct OnceSet {
    private var slots = [UInt64](repeating: 0, count: 1 << 12)
    private var mask = (1 << 12) - 1
    private var count = 0

    /// - Parameter kind: tells values apart that may be equal, such as a card and a code.
    /// - Returns: whether it is there for the first time.
    mutating func insert(_ value: UInt128, kind: UInt8) -> Bool {
        let print = Self.fingerprint(value, kind)
        var slot = Int(truncatingIfNeeded: print) & mask
        while slots[slot] != 0 {
            if slots[slot] == print { return false }
            slot = (slot + 1) & mask
        }
        slots[slot] = print
        count += 1
        if count * 2 > slots.count { grow() }
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        mask = slots.count - 1
        for print in old where print != 0 {
            var slot = Int(truncatingIfNeeded: print) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = print
        }
    }

    /// Never 0, which is an empty slot.
    private static func fingerprint(_ value: UInt128, _ kind: UInt8) -> UInt64 {
        let low = mixed(UInt64(truncatingIfNeeded: value) ^ (UInt64(kind) &* 0x9E37_79B9_7F4A_7C15))
        let both = mixed(low &+ UInt64(truncatingIfNeeded: value >> 64))
        return both == 0 ? 1 : both
    }

    /// The finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let first = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        let second = (first ^ (first >> 27)) &* 0x94D0_49BB_1331_11EB
        return second ^ (second >> 31)
    }
}
