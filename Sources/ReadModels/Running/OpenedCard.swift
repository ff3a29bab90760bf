package import EventLog
package import Loyalty
internal import LoyaltyCodec

/// A new card read without decoding: a `CardOpened` as this program writes it.
///
/// It takes a record for one only if `LoyaltyCodec` would, and reads the same from it: exactly the four tags, and a payload of goal and
/// reward in their order, each in its shortest form; the reward in the clear, or sealed since version 2. Everything else is left to the
/// codec and its refusals.
package struct OpenedCard {
    /// The keys of a reward in the clear and of a sealed one.
    private static let (clearKey, sealedKey): (UInt8, UInt8) = (0x12, 0x1a)
    /// The version since which there are sealed ones.
    private static let sealingVersion: UInt16 = 2
    /// Before the text: two keys, the goal, the text's length.
    private static let rewardAt = 4

    /// The ids of what it names.
    package let holder, shop, campaign, card: UInt128
    /// Stamps that fill it, 1 to 50.
    package let goal: Int

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .cardOpened, 1...Self.sealingVersion ~= record.schemaVersion, record.hasRequestAtMost(behind: 4) else {
            return nil
        }
        let (account, place, campaign, card) = (record.tag(at: 0), record.tag(at: 1), record.tag(at: 2), record.tag(at: 3))
        guard account.kind == .account, place.kind == .shop, campaign.kind == .campaign, card.kind == .card else { return nil }
        guard let goal = Self.goal(record.payload, record.schemaVersion) else { return nil }
        (holder, shop, self.campaign, self.card, self.goal) = (account.value, place.value, campaign.value, card.value, goal)
    }

    /// What the codec would make of the record that this was read from.
    package func fact(of record: borrowing Record, at position: Position) -> Fact {
        let event = CardOpened(
            card: CardID(card), campaign: CampaignID(campaign), shop: ShopID(shop), holder: AccountID(holder), goal: goal,
            reward: Self.reward(of: record))
        return Fact(
            position: position.rawValue, time: Instant(microseconds: record.time.microseconds), actor: AccountID(record.actor),
            event: .cardOpened(event))
    }

    /// The reward that a record promises which one of these was read from.
    package static func reward(of record: borrowing Record) -> TypedText {
        let text = record.payload.extracting(droppingFirst: rewardAt)
        if record.payload[2] == sealedKey { return .sealed(Sealed(text.indices.map { text[$0] })) }
        guard let text = try? UTF8Span(validating: text) else { return "" }
        return .clear(String(copying: text))
    }

    /// `08 goal 12 length reward`, or `1a` for `12` where it is sealed: goal and length as varints of one byte, the text valid and not
    /// empty.
    @inline(__always)
    private static func goal(_ payload: Span<UInt8>, _ version: UInt16) -> Int? {
        guard payload.count > rewardAt, payload[0] == 0x08, payload[3] < 0x80 else { return nil }
        guard payload.count == rewardAt + Int(payload[3]), 1...50 ~= Int(payload[1]) else { return nil }
        if payload[2] == sealedKey { return version >= sealingVersion ? Int(payload[1]) : nil }
        guard payload[2] == clearKey, (try? UTF8Span(validating: payload.extracting(droppingFirst: rewardAt))) != nil else { return nil }
        return Int(payload[1])
    }
}
