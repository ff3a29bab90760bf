extension [Session] {
    /// One event for each of these that is alive, in the order of their ids, so that each family's own history says that it is over.
    ///
    /// - Parameter kept: goes on.
    func endings(at now: Instant, except kept: SessionID? = nil) -> [LoyaltyEvent] {
        filter { $0.id != kept && $0.isAlive(at: now) }.sorted { $0.id < $1.id }.map { session in
            .sessionEnded(SessionEnded(session: session.id, account: session.account, ending: .signedOut))
        }
    }
}
