public import Loyalty

/// One page of results, in the requested order.
public struct FoundPage<Noun>: Sendable {
    public let items: [Found<Noun>]
    /// The cursor to continue from; nil on the last page.
    ///
    /// A page may hold fewer items than requested, or none, and still have a next one: it ends when its budget of rows is used up.
    public let next: DiscoveryCursor?
    /// The number of rows visited for this page, at most ``SearchLimits/looksMax``. Four places outside a ring count as one row.
    package let looks: Int
}

/// One item that was found.
public struct Found<Noun>: Hashable, Sendable {
    public let id: ID<Noun>
    /// The distance from the requested place; nil if the search has no place.
    public let distanceMillimeters: Int?

    init(id: ID<Noun>, distanceMillimeters: Int?) {
        (self.id, self.distanceMillimeters) = (id, distanceMillimeters)
    }
}

/// The end of a page of results. A cursor can be packed into one number, from which the caller makes a text.
///
/// The cursor contains the place in the order of the last item or, if the budget of rows was used up, of the last row that was visited. It
/// also contains the log position of the list's first page. The next page keeps the order that applied at that log position.
public struct DiscoveryCursor: Hashable, Sendable {
    /// The distance in millimetres or the favourite count at which the page ends; 0 if the order uses neither.
    let key: UInt32
    /// The position of the event that created the item, below 2^48.
    let number: UInt64
    /// The log position whose state the list shows, below 2^48.
    let seen: UInt64

    private static let bits: UInt128 = 48
    private static let mask: UInt128 = 1 << bits - 1

    /// A value of ``number`` that is greater than that of every item.
    static let numberMax = UInt64(mask)

    init(key: UInt32, number: UInt64, seen: UInt64) {
        (self.key, self.number, self.seen) = (key, number, seen)
    }

    /// Creates a cursor from its packed form. Every number is a valid packed form.
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
