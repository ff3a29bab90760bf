internal import Loyalty

/// What a batch changed and is not in the rows yet: written once, however often a card or a member of staff comes up.
public struct StatisticsChanges {
    /// One thing of a shop in one quarter.
    struct Place: QuickKey, Comparable {
        let shop: UInt128
        let quarter: UInt64
        let thing: UInt128

        var quickHash: Int { RowIndex.hash(shop &+ UInt128(quarter)) ^ RowIndex.hash(thing) }

        static func < (left: Place, right: Place) -> Bool {
            (left.shop, left.quarter, left.thing) < (right.shop, right.quarter, right.thing)
        }
    }

    /// A code as it is from now on.
    struct Code {
        /// Nil for none.
        var open: OpenCode?
        /// False for one issued since the last flush: used up before the next, it needs no row.
        let isStored: Bool
    }

    /// To be added to the rows.
    var cards = KeyMap<Place, CardActivity>()
    /// To be added to the rows.
    var staff = KeyMap<Place, StaffActivity>()
    /// In place of the rows.
    var codes = KeyMap<UInt128, Code>()
    /// How many stamps a card takes until it is full, in place of the rows; nil for one that takes no more.
    var room = KeyMap<UInt128, Int?>()
    /// By shop and account, the earliest quarter, if it is earlier than the row's.
    var firsts = KeyMap<PairKey, UInt64>()

    var count: Int { cards.count + staff.count + codes.count + room.count + firsts.count }

    mutating func removeAll() {
        cards.removeAll()
        staff.removeAll()
        codes.removeAll()
        room.removeAll()
        firsts.removeAll()
    }

    mutating func add(_ activity: CardActivity, to place: Place) {
        cards.update(place, default: CardActivity(of: activity.holder)) { $0.add(activity) }
        firsts.update(PairKey(place.shop, activity.holder.value), default: place.quarter) { $0 = min($0, place.quarter) }
    }

    /// A new code; codes' ids are never used again.
    mutating func issue(_ id: UInt128, _ code: OpenCode) {
        codes[id] = Code(open: code, isStored: false)
    }

    /// What is left of a code; nil for nothing.
    mutating func leave(_ left: OpenCode?, of id: UInt128) {
        let isStored = codes[id]?.isStored ?? true
        codes[id] = left == nil && !isStored ? nil : Code(open: left, isStored: isStored)
    }

    mutating func add(_ activity: StaffActivity, to place: Place) {
        staff.update(place, default: StaffActivity()) { $0.add(activity) }
    }
}
