/// How long something works.
enum Validity {
    /// Whether what works until a moment works at `now`. What has more time left than it may ever have was made while the clock was ahead,
    /// nobody knows when, and works no more.
    ///
    /// - Parameter seconds: the longest that anything of its kind works.
    static func holds(at now: Instant, until end: Instant, ofAtMost seconds: Int64) -> Bool {
        now < end && end <= now.advanced(bySeconds: seconds + Limits.clockLeadSeconds)
    }
}
