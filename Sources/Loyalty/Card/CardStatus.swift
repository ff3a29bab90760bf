/// Where a card stands. `collecting` → `full` → `redeemed`; any of them may be `discarded` by its holder.
///
/// Two corrections go back: a reversal from `redeemed` to `full`, and an operator's adjustment from `full` to `collecting`.
public enum CardStatus: UInt8, Hashable, Sendable, CaseIterable {
    case collecting = 1
    case full = 2
    case redeemed = 3
    case discarded = 4

    /// After stamps were added that make so many.
    public func stamped(to stamps: Int, goal: Int) -> CardStatus { self == .collecting && stamps >= goal ? .full : self }
}
