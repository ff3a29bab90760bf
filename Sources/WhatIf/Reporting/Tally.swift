/// Figures of cards. What is taken back is taken off, in the month in which that happened.
public struct Tally: Hashable, Sendable {
    /// Stamps entered, with what operators' corrections added or took off.
    public var stamps = 0
    /// Cards opened.
    public var opened = 0
    /// Cards that became full, less those of which a correction took that away.
    public var filled = 0
    /// Rewards handed out, less those taken back.
    public var redeemed = 0
    /// What the rewards handed out cost, in cents.
    public var cents = 0

    /// Adds other figures.
    public mutating func add(_ other: Tally) {
        stamps += other.stamps
        opened += other.opened
        filled += other.filled
        redeemed += other.redeemed
        cents += other.cents
    }

    /// These less others.
    public func less(_ other: Tally) -> Tally {
        Tally(
            stamps: stamps - other.stamps, opened: opened - other.opened, filled: filled - other.filled,
            redeemed: redeemed - other.redeemed, cents: cents - other.cents)
    }
}
