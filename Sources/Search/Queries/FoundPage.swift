public import Loyalty

/// One page of results, in the requested order.
public struct FoundPage<Noun>: Sendable {
    public let items: [Found<Noun>]
    /// Nil on the last page. A shorter or empty page may have a next one, because the budget of rows may be used up.
    public let next: DiscoveryCursor?
    /// Rows visited, at most ``SearchLimits/looksMax``. Four places outside a ring count as one.
    package let looks: Int
}

/// One item that was found.
public struct Found<Noun>: Hashable, Sendable {
    public let id: ID<Noun>
    public let distanceMillimeters: Int?
}

/// The end of a page: the place in the order of the last item or visited row, and the list's log position. It fits one number.
public struct DiscoveryCursor: Hashable, Sendable {
    /// The distance in millimetres or the favourite count; 0 if the order uses neither.
    let key: UInt32
    /// The position of the event that created the item, below 2^48.
    let number: UInt64
    /// The log position whose state the list shows, below 2^48.
    let seen: UInt64

    private static let bits: UInt128 = 48
    private static let mask: UInt128 = 1 << bits - 1

    /// Greater than the ``number`` of every item.
    static let numberMax = UInt64(mask)

    init(key: UInt32, number: UInt64, seen: UInt64) { (self.key, self.number, self.seen) = (key, number, seen) }

    /// Every number is a valid packed form.
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
