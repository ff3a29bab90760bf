public import Loyalty

/// Ids that sort by the time they were made (RFC 9562, section 5.7).
public enum UUIDv7 {
    /// 48 bits of milliseconds, then version, variant and 74 random bits.
    ///
    /// A moment before 1970 counts as 1970, one beyond 48 bits (the year 10889) as the last. Of `random` 12 bits of the first
    /// word and 62 of the second are used; they are handed in, so that a run can be repeated to the same bytes.
    public static func make(at time: Instant, random: (UInt64, UInt64)) -> UInt128 {
        let milliseconds = min(UInt64(clamping: time.microseconds) / 1_000, 1 << 48 - 1)
        let high = milliseconds << 16 | 0x7000 | random.0 & 0x0FFF
        let low = 1 << 63 | random.1 & (1 << 62 - 1)
        return UInt128(high) << 64 | UInt128(low)
    }
}
