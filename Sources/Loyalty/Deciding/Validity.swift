/// How long something works.
enum Validity {
    /// Whether what was made at a moment and works until another works at `now`.
    ///
    /// What was made in the future was made while the clock was ahead, nobody knows when, and works no more once the clock was set right.
    /// So a clock that was wrong for hours stretches a life by at most ``Limits/clockLeadSeconds``, by which a clock may be set back
    /// without anything being looked at askance.
    static func holds(at now: Instant, from begin: Instant, until end: Instant) -> Bool {
        begin <= now.advanced(bySeconds: Limits.clockLeadSeconds) && now < end
    }
}
