public import Loyalty

/// Some of what was found, in the order asked for.
public struct FoundPage<Noun>: Sendable {
    public let items: [Found<Noun>]
    /// What to ask for to go on; nil where this was the last page.
    ///
    /// A page may hold fewer items than were asked for, or none, and go on all the same: it ends where enough was looked at.
    public let next: DiscoveryCursor?
    /// Rows that were looked at for it, at most ``SearchLimits/looksMax``.
    package let looks: Int
}

/// One thing that was found.
public struct Found<Noun>: Hashable, Sendable {
    public let id: ID<Noun>
    /// From the place that was asked about; nil where none was.
    public let distanceMillimeters: Int?

    init(id: ID<Noun>, distanceMillimeters: Int?) {
        (self.id, self.distanceMillimeters) = (id, distanceMillimeters)
    }
}

/// Where a page ended, as one number for whoever seals cursors.
///
/// Besides the last item's own place in the order it says up to which position the first page saw the log: the next page goes on in
/// the order as it stood there.
public struct DiscoveryCursor: Hashable, Sendable {
    /// Millimetres, or how many keep it; 0 where the order has no such key.
    let key: UInt32
    /// The position of the event that made the item, below 2^48.
    let number: UInt64
    /// The log's position that the list shows, below 2^48.
    let seen: UInt64

    private static let bits: UInt128 = 48
    private static let mask: UInt128 = 1 << bits - 1

    /// Behind every number that an item has.
    static let numberMax = UInt64(mask)

    init(key: UInt32, number: UInt64, seen: UInt64) {
        (self.key, self.number, self.seen) = (key, number, seen)
    }

    /// A cursor from its number; any number is one.
    public init(packed: UInt128) {
        key = UInt32(truncatingIfNeeded: packed >> (2 * Self.bits))
        number = UInt64(packed >> Self.bits & Self.mask)
        seen = UInt64(packed & Self.mask)
    }

    /// The cursor as a number.
    public var packed: UInt128 {
        UInt128(key) << (2 * Self.bits) | (UInt128(number) & Self.mask) << Self.bits | UInt128(seen) & Self.mask
    }
}
