/// One line of a card's history, as its holder sees it.
public struct CardEntry: Hashable, Sendable {
    /// What happened to the card.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case opened = 1
        case stamped = 2
        case redemptionRequested = 3
        case redeemed = 4
        case discarded = 5
        /// The reward was taken back: full again.
        case reversed = 6
        /// An operator set the stamps right.
        case adjusted = 7
    }

    public let at: Instant
    public let kind: Kind
    /// Stamps added by this entry; 0 for those that add none, below it where an operator took some off.
    public let stamps: Int
    /// Where in the log it stands.
    public let position: UInt64

    public init(at: Instant, kind: Kind, stamps: Int, position: UInt64) {
        self.at = at
        self.kind = kind
        self.stamps = stamps
        self.position = position
    }
}
