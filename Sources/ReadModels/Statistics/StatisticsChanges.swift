internal import Loyalty

/// What a batch changed and is not in the rows yet: written once, however often a card or a member of staff comes up.
public struct StatisticsChanges {
    /// One thing of a shop in one quarter.
    struct Place: Hashable {
        let shop: UInt128
        let quarter: UInt64
        let thing: UInt128
    }

    /// A shop and an account.
    struct Pair: Hashable {
        let shop: UInt128
        let account: UInt128
    }

    /// To be added to the rows.
    var cards: [Place: CardActivity] = [:]
    /// To be added to the rows.
    var staff: [Place: StaffActivity] = [:]
    /// In place of the rows; nil for none.
    var codes: [UInt128: OpenCode?] = [:]
    /// How many stamps a card takes until it is full, in place of the rows; nil for one that takes no more.
    var room: [UInt128: Int?] = [:]
    /// The earliest quarter, if it is earlier than the row's.
    var firsts: [Pair: UInt64] = [:]

    var count: Int { cards.count + staff.count + codes.count + room.count + firsts.count }

    mutating func add(_ activity: CardActivity, to place: Place) {
        cards[place, default: CardActivity(of: activity.holder)].add(activity)
        let pair = Pair(shop: place.shop, account: activity.holder.value)
        firsts[pair] = min(firsts[pair] ?? .max, place.quarter)
    }

    mutating func add(_ activity: StaffActivity, to place: Place) {
        staff[place, default: StaffActivity()].add(activity)
    }
}
