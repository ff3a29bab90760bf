internal import LMDB
package import Loyalty
internal import LoyaltyCodec
internal import Projections

/// A card that is collecting, full or redeemed, at its campaign's shop and at all others where it was stamped.
package struct CustomerCard: StoredRow, Hashable, Sendable {
    static let noun = "a customer's card"

    package let campaign: UInt128
    package let shop: UInt128
    package var holder: UInt128
    /// The position of the opening.
    package let opened: UInt64
    package let goal: Int
    package var stamps = 0
    package var status: CardStatus
    /// Other shops than the campaign's, in the order of their first stamps.
    package var guests: [UInt128] = []

    package init(campaign: UInt128, shop: UInt128, holder: UInt128, opened: UInt64, goal: Int) {
        (self.campaign, self.shop, self.holder, self.opened, self.goal) = (campaign, shop, holder, opened, goal)
        status = CardStatus(openedFor: goal)
    }

    package var shops: [UInt128] { [shop] + guests }

    package var isHeld: Bool { status == .collecting || status == .full }

    package var isNearlyFull: Bool { status == .collecting && stamps > 0 && goal - stamps <= CustomerRules.nearlyFullStamps }

    /// Held cards are behind redeemed ones, and each kind is in the order of opening.
    package var place: UInt64 { opened | (isHeld ? 1 << 63 : 0) }

    mutating func stamp(_ added: Int) {
        stamps += added
        status = status.stamped(to: stamps, goal: goal)
    }

    mutating func takeBack(_ taken: Int) {
        stamps -= taken
        if status == .full { status = .collecting }
    }

    mutating func adjust(by change: Int) {
        stamps += change
        status = stamps >= goal ? .full : .collecting
    }

    private static let rowBytes = 65

    /// Little-endian: campaign, shop and holder as u128, the position of the opening as u64, goal and stamps as i32, status as u8, and the
    /// guests as u128.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        for id in [campaign, shop, holder] { row.append(littleEndian: id) }
        row.append(littleEndian: opened)
        row.append(littleEndian: Int32(clamping: goal))
        row.append(littleEndian: Int32(clamping: stamps))
        row.append(status.rawValue)
        for guest in guests { row.append(littleEndian: guest) }
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count >= Self.rowBytes, (row.count - Self.rowBytes) % 16 == 0 else { return nil }
        guard let status = CardStatus(rawValue: row[64]) else { return nil }
        self.init(
            campaign: row.littleEndian128(at: 0), shop: row.littleEndian128(at: 16), holder: row.littleEndian128(at: 32),
            opened: row.littleEndian64(at: 48), goal: Int(Int32(bitPattern: row.littleEndian32(at: 56))))
        (stamps, self.status) = (Int(Int32(bitPattern: row.littleEndian32(at: 60))), status)
        guests = stride(from: Self.rowBytes, to: row.count, by: 16).map { row.littleEndian128(at: $0) }
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let card = CustomerCard(row) else { return nil }
        let guests = card.guests.isEmpty ? "" : ", also at " + card.guests.map { ShopID($0).text }.joined(separator: " and ")
        return "\(card.stamps) of \(card.goal) stamps, \(card.status), holder \(AccountID(card.holder).text), campaign "
            + "\(CampaignID(card.campaign).text), shop \(ShopID(card.shop).text)\(guests), opened at position \(card.opened)"
    }
}

/// The codes and rewards of a customer's day at a shop, which a reversal may take back.
package struct VisitActs: StoredRow, Hashable, Sendable {
    static let noun = "a customer's visit"

    /// A code with the stamps that it gave a card, or a redemption with 1.
    package struct Act: Hashable, Sendable {
        package let id: UInt128
        /// The position at which the card was opened, which names it.
        package let card: UInt64
        package var count: Int

        package init(id: UInt128, card: UInt64, count: Int) { (self.id, self.card, self.count) = (id, card, count) }
    }

    /// Ordered by id and card.
    package private(set) var acts: [Act] = []

    package init() {}

    package mutating func add(_ act: Act) {
        let place = acts.firstIndex { ($0.id, $0.card) >= (act.id, act.card) } ?? acts.count
        if place < acts.count, (acts[place].id, acts[place].card) == (act.id, act.card) {
            acts[place].count += act.count
        } else {
            acts.insert(act, at: place)
        }
    }

    /// Takes back at most as many as were given, and returns how many.
    mutating func takeBack(_ count: Int, of id: UInt128) -> Int {
        var left = count
        for place in acts.indices where acts[place].id == id {
            let taken = min(left, acts[place].count)
            acts[place].count -= taken
            left -= taken
        }
        acts.removeAll { $0.count == 0 }
        return count - left
    }

    /// Removes what a card got.
    mutating func leave(_ card: UInt64) -> [Act] {
        let left = acts.filter { $0.card == card }
        acts.removeAll { $0.card == card }
        return left
    }

    private static let actBytes = 28

    /// Each act's id as u128, card as u64 and count as u32, little-endian.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        for act in acts {
            row.append(littleEndian: act.id)
            row.append(littleEndian: act.card)
            row.append(littleEndian: UInt32(clamping: act.count))
        }
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count > 0, row.count % Self.actBytes == 0 else { return nil }
        acts = stride(from: 0, to: row.count, by: Self.actBytes).map {
            Act(id: row.littleEndian128(at: $0), card: row.littleEndian64(at: $0 + 16), count: Int(row.littleEndian32(at: $0 + 24)))
        }
    }

    static func text(_ row: Span<UInt8>) -> String? {
        VisitActs(row).map { "\($0.acts.count) codes and rewards, \($0.acts.reduce(0) { $0 + $1.count }) stamps and rewards" }
    }
}
