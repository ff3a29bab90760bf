public import Loyalty

/// One page of results, in the requested order.
public struct FoundPage<Noun>: Sendable {
    public let items: [Found<Noun>]
    /// The cursor to continue from; nil on the last page.
    ///
    /// A page may hold fewer items than requested, or none, and still have a next one: it ends when its budget of rows is used up.
    public let next: DiscoveryCursor?
    /// The number of rows visited for this page, at most ``SearchLimits/looksMax``.
    package let looks: Int
}

/// One item that was found.
public struct Found<Noun>: Hashable, Sendable {
    public let id: ID<Noun>
    /// The distance from the requested place; nil without one.
    public let distanceMillimeters: Int?

    init(id: ID<Noun>, distanceMillimeters: Int?) {
        (self.id, self.distanceMillimeters) = (id, distanceMillimeters)
    }
}

/// The end of a page, as one number. The caller makes the text of a cursor from it.
///
/// The cursor contains the last item's place in the order, and the log position of the first page. The next page continues in the order as
/// of that position.
public struct DiscoveryCursor: Hashable, Sendable {
    /// The distance in millimetres or the favourite count; 0 for an order without such a key.
    let key: UInt32
    /// The position of the event that created the item, below 2^48.
    let number: UInt64
    /// The log position as of which the list was made, below 2^48.
    let seen: UInt64

    private static let bits: UInt128 = 48
    private static let mask: UInt128 = 1 << bits - 1

    /// A number greater than that of every item.
    static let numberMax = UInt64(mask)

    init(key: UInt32, number: UInt64, seen: UInt64) {
        (self.key, self.number, self.seen) = (key, number, seen)
    }

    /// Creates a cursor from its number; every number is valid.
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
