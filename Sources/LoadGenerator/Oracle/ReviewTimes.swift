/// The times at which a customer's latest reviews were answered.
///
/// The service counts a review before it answers, and so forgets it earlier than this list does. Therefore it has room for a review
/// whenever this list has.
struct ReviewTimes: Sendable {
    private var answered: [ContinuousClock.Instant] = []

    /// Whether the service must accept one more review at this moment or later.
    mutating func haveRoom(at now: ContinuousClock.Instant) -> Bool {
        answered.removeAll { $0 + Limits.reviewWindow <= now }
        return answered.count < Limits.reviewsMax
    }

    mutating func add(at now: ContinuousClock.Instant) { answered.append(now) }
}
