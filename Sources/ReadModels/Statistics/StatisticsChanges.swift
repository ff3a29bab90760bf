internal import Loyalty

/// What a batch changed and is not in the rows yet.
///
/// What happened is a list in the order of the log, in which each card and member knows its newest entry: so an event costs a look-up
/// or two, and what happened at one place is mostly added up at once. The rest is when rows are written (``RowOrder``).
public struct StatisticsChanges {
    /// A card that came up.
    struct Card {
        let id: UInt128
        /// Where in ``StatisticsChanges/activities`` its newest entry stands; -1 for none.
        var newest: Int32 = -1
        /// Stamps until it is full, 0 for one that takes no more; -1 as long as nobody asked.
        var room: Int32 = -1
        var isRoomChanged = false
    }

    /// What happened to a card in a quarter, or a part of it.
    struct Activity {
        let card: UInt128
        let quarter: UInt64
        let shop: UInt32
        var sum: CardActivity
    }

    /// Somebody who works at a shop.
    struct Member {
        let account: UInt128
        let shop: UInt32
        /// Where in ``StatisticsChanges/work`` the newest entry stands; -1 for none.
        var newest: Int32 = -1
    }

    /// What a member did in a quarter, or a part of it.
    struct Work {
        let member: UInt32
        let quarter: UInt64
        var sum: StaffActivity
    }

    /// A code as it is from now on.
    struct Code {
        /// Nil for none.
        var open: OpenCode?
        /// False for one issued since the last flush: used up before the next, it needs no row.
        let isStored: Bool
    }

    private(set) var shops = NumberedIDs(capacity: 16)
    private(set) var cards: [Card] = []
    private var cardIndex = RowIndex(capacity: 16)
    private(set) var members: [Member] = []
    /// By number of the shop and account.
    private var memberNumbers = KeyMap<PairKey, UInt32>()
    /// By shop: at most shops one member shows the codes all day.
    private var newestMembers: [UInt32] = []
    /// To be added to the rows.
    private(set) var activities: [Activity] = []
    /// To be added to the rows.
    private(set) var work: [Work] = []
    /// In place of the rows.
    private(set) var codes = KeyMap<UInt128, Code>()

    var count: Int { cards.count + activities.count + work.count + codes.count }

    /// Where a card stands, from now on.
    @inline(__always)
    mutating func place(of card: UInt128) -> Int {
        if let place = cardIndex.place(of: card) { return place }
        cards.append(Card(id: card))
        return cardIndex.insert(card)
    }

    /// What is known of the stamps that a card still takes; nil for nothing.
    func room(at place: Int) -> Int? { cards[place].room < 0 ? nil : Int(cards[place].room) }

    /// Notes what the row says.
    mutating func setKnown(room: Int, at place: Int) { cards[place].room = Int32(clamping: room) }

    /// From now on; 0 for a card that takes no more.
    mutating func change(room: Int, at place: Int) {
        cards[place].room = Int32(clamping: max(0, room))
        cards[place].isRoomChanged = true
    }

    mutating func add(_ activity: CardActivity, to place: Int, at shop: UInt128, in quarter: UInt64) {
        let newest = Int(cards[place].newest)
        if newest >= 0, activities[newest].quarter == quarter, shops.ids[Int(activities[newest].shop)] == shop,
            activities[newest].sum.holder == activity.holder
        {
            return activities[newest].sum.add(activity)
        }
        cards[place].newest = Int32(activities.count)
        let number = UInt32(self.number(of: shop))
        activities.append(Activity(card: cards[place].id, quarter: quarter, shop: number, sum: activity))
    }

    mutating func add(_ activity: StaffActivity, by account: UInt128, at shop: UInt128, in quarter: UInt64) {
        let member = member(account, at: number(of: shop))
        let newest = Int(members[member].newest)
        if newest >= 0, work[newest].quarter == quarter { return work[newest].sum.add(activity) }
        members[member].newest = Int32(work.count)
        work.append(Work(member: UInt32(member), quarter: quarter, sum: activity))
    }

    private mutating func number(of shop: UInt128) -> Int {
        let number = shops.number(shop)
        if number == newestMembers.count { newestMembers.append(.max) }
        return number
    }

    private mutating func member(_ account: UInt128, at shop: Int) -> Int {
        let newest = newestMembers[shop]
        if newest != .max, members[Int(newest)].account == account { return Int(newest) }
        let key = PairKey(UInt128(shop), account)
        let known = memberNumbers[key]
        let number = known ?? UInt32(members.count)
        if known == nil {
            memberNumbers[key] = number
            members.append(Member(account: account, shop: UInt32(shop)))
        }
        newestMembers[shop] = number
        return Int(number)
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
}
