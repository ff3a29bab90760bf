internal import Loyalty

/// What one well-formed row says.
struct VisitRow: Equatable {
    let time: Instant
    /// `nil` where nobody can be named: paid in cash.
    let customer: String?
    /// The value of the shop column; empty in a file without one.
    let shop: String
    let location: Coordinate?
}
