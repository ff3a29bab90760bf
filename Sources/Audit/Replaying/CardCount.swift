/// What happened to one card in one quarter, or a part of that: added up when rows are made.
struct CardCount: Sendable {
    let quarter: UInt64
    /// Number of the card; its place among its shop's cards once counts are in the order of rows.
    var card: UInt32
    var stamps: Int32 = 0
    var opened: Int32 = 0
    var filled: Int32 = 0
    var redeemed: Int32 = 0
    var reversed: Int32 = 0

    /// As ``CardActivity/isVisit``.
    var isVisit: Bool { stamps > 0 || opened > 0 || redeemed > 0 }

    mutating func add(_ other: CardCount) {
        stamps &+= other.stamps
        opened &+= other.opened
        filled &+= other.filled
        redeemed &+= other.redeemed
        reversed &+= other.reversed
    }
}
