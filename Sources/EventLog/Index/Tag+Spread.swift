extension Tag {
    /// A fixed mix of all the tag's bits, by which runs are ordered, cut into parts and filtered.
    ///
    /// It decides only where a tag is looked for. The tag itself is stored and compared in full, so that two tags with the same mix
    /// cost time and nothing else. The steps are those of common integer finalizers: multiply by an odd number, fold the top down.
    var spread: UInt64 {
        var bits = UInt64(truncatingIfNeeded: value) ^ (UInt64(kind.rawValue) &* 0x9E37_79B9_7F4A_7C15)
        bits = (bits ^ (bits >> 32)) &* 0xD6E8_FEB8_6659_FD93
        bits ^= UInt64(truncatingIfNeeded: value >> 64) ^ (bits >> 29)
        bits = (bits ^ (bits >> 31)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 32)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
