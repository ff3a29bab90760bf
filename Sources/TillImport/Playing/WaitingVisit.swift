/// A visit that is to be played.
struct WaitingVisit: Sendable {
    let visit: Visit
    let shop: OpenedShop
    /// Which of the equal rows this is, from 1: two cups in one minute are two visits.
    let occurrence: Int
}
