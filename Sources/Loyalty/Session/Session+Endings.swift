extension [Session] {
    /// One event for each of these that is alive, so that each family's own history says that it is over.
    ///
    /// - Parameter kept: goes on.
    func endings(at now: Instant, except kept: SessionID? = nil) -> [LoyaltyEvent] {
        filter { $0.id != kept && $0.isAlive(at: now) }.map { session in
            .sessionEnded(SessionEnded(session: session.id, account: session.account, ending: .signedOut))
        }
    }
}
