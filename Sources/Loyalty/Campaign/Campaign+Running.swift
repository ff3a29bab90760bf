extension Campaign {
    /// Whether it takes stamps and hands out codes at `now`: from `startsAt`, up to but not at `endsAt`, unless ended early.
    ///
    /// A campaign that was ended early is over for good, even for a clock that steps back behind the moment it was ended.
    public func isRunning(at now: Instant) -> Bool {
        endedAt == nil && startsAt <= now && now < endsAt
    }

    /// Whether it is past its time or was ended early; one that has yet to start is not over.
    public func isOver(at now: Instant) -> Bool {
        endedAt != nil || endsAt <= now
    }
}

extension [Campaign] {
    /// How many are not over.
    func openCount(at now: Instant) -> Int { count { !$0.isOver(at: now) } }
}
