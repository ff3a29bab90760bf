package import EventLog
package import Loyalty

/// A `CodeIssued` in the form that this program writes, read without decoding. It is the second most frequent event.
///
/// It accepts only records that `LoyaltyCodec` would decode as such an event, and reads the same values: version 1 or 2, exactly the four
/// tags of the type, at most the two hashes of a request after them, and a payload of the type's three fields in their order, each in its
/// shortest form. The codec handles everything else.
package struct IssuedCode {
    /// The lengths of the shortest and of the longest payload: an attempt of 0 is left out, and any other attempt takes two bytes.
    private static let payloadBytes = 11...13

    /// The ids of the shop and of the code.
    package let shop, code: UInt128
    /// The stamps that the code is worth, 1 to 10.
    package let stamps: Int

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .codeIssued, 1...2 ~= record.schemaVersion, record.hasRequestAtMost(behind: 4) else { return nil }
        let (place, code) = (record.tag(at: 0), record.tag(at: 2))
        guard place.kind == .shop, record.tag(at: 1).kind == .campaign, code.kind == .code, record.tag(at: 3).kind == .codeSecret
        else { return nil }
        guard let stamps = Self.stamps(record.payload) else { return nil }
        (shop, self.code, self.stamps) = (place.value, code.value, stamps)
    }

    /// The stamps in a payload of the form `[08 attempt] 10 stamps 19 expiresAt`; nil for any other payload. Fields 1 and 2 are varints of
    /// one byte, field 3 has eight bytes.
    @inline(__always)
    private static func stamps(_ payload: Span<UInt8>) -> Int? {
        guard payloadBytes.contains(payload.count) else { return nil }
        var place = 0
        if payload[0] == 0x08 {
            guard payload[1] > 0, payload[1] < 0x80 else { return nil }
            place = 2
        }
        guard payload.count == place + 11, payload[place] == 0x10, payload[place + 2] == 0x19 else { return nil }
        let stamps = Int(payload[place + 1])
        return 1...10 ~= stamps ? stamps : nil
    }
}

/// A `CardOpened` in the form that this program writes, read without decoding.
///
/// It accepts only records that `LoyaltyCodec` would decode as such an event, and reads the same values. The record has exactly the four
/// tags of the type, at most the two hashes of a request after them, and a payload of goal and reward in their order, each in its shortest
/// form. The reward is unsealed, or sealed since version 2. The codec handles everything else, including refusals.
///
/// New cards and new accounts together are a fifth of a log's events. Without this type and ``RegisteredAccount``, each model would have to
/// decode all of these events.
package struct OpenedCard {
    /// The Protobuf field keys of an unsealed and of a sealed reward. A key consists of the field's number and its wire type.
    private static let (clearKey, sealedKey): (UInt8, UInt8) = (0x12, 0x1a)
    /// The first version with sealed rewards.
    private static let sealingVersion: UInt16 = 2
    /// The last version in which goal and reward have the places at which this type reads them. The codec reads the other cards: cards with
    /// terms have more fields, coupons have no goal, and cards that another shop opened have one more tag.
    private static let newestVersion: UInt16 = 6
    /// The number of bytes before the reward's text: two keys, the goal, and the text's length.
    private static let rewardAt = 4

    /// The ids in the event's tags.
    package let holder, shop, campaign, card: UInt128
    /// The stamps that fill the card, 1 to 50.
    package let goal: Int

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .cardOpened, 1...Self.newestVersion ~= record.schemaVersion, record.hasRequestAtMost(behind: 4) else {
            return nil
        }
        let (account, place, campaign, card) = (record.tag(at: 0), record.tag(at: 1), record.tag(at: 2), record.tag(at: 3))
        guard account.kind == .account, place.kind == .shop, campaign.kind == .campaign, card.kind == .card else { return nil }
        guard let goal = Self.goal(record.payload, record.schemaVersion) else { return nil }
        (holder, shop, self.campaign, self.card, self.goal) = (account.value, place.value, campaign.value, card.value, goal)
    }

    /// The same fact that the codec would decode from this record.
    package func fact(of record: borrowing Record, at position: Position) -> Fact {
        let event = CardOpened(
            card: CardID(card), campaign: CampaignID(campaign), shop: ShopID(shop), holder: AccountID(holder), goal: goal,
            reward: Self.reward(of: record))
        return Fact(
            position: position.rawValue, time: Instant(microseconds: record.time.microseconds), actor: AccountID(record.actor),
            event: .cardOpened(event))
    }

    /// The reward in a record from which an `OpenedCard` was read.
    package static func reward(of record: borrowing Record) -> TypedText {
        let text = record.payload.extracting(droppingFirst: rewardAt)
        if record.payload[2] == sealedKey { return .sealed(Sealed(text.indices.map { text[$0] })) }
        guard let text = try? UTF8Span(validating: text) else { return "" }
        return .clear(String(copying: text))
    }

    /// The goal in a payload of the form `08 goal 12 length reward`, with `1a` for `12` if the reward is sealed. Goal and length are
    /// varints of one byte. The text must be valid UTF-8 and not empty.
    @inline(__always)
    private static func goal(_ payload: Span<UInt8>, _ version: UInt16) -> Int? {
        guard payload.count > rewardAt, payload[0] == 0x08, payload[3] < 0x80 else { return nil }
        guard payload.count == rewardAt + Int(payload[3]), 1...50 ~= Int(payload[1]) else { return nil }
        if payload[2] == sealedKey { return version >= sealingVersion ? Int(payload[1]) : nil }
        guard payload[2] == clearKey, (try? UTF8Span(validating: payload.extracting(droppingFirst: rewardAt))) != nil else { return nil }
        return Int(payload[1])
    }
}

/// A `CardStamped` that adds one stamp, read without decoding. It is stored in tags alone, and is the most frequent event.
///
/// It accepts only records that `LoyaltyCodec` would decode as such an event: version 1 to 3, no payload, exactly the five tags of the type
/// in their order, and at most the two hashes of a request after them. The codec handles everything else, including damaged records.
package struct SingleStamp {
    /// The ids in the event's tags.
    package let holder, shop, code, card: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .cardStamped, 1...3 ~= record.schemaVersion, record.payload.isEmpty else { return nil }
        guard record.hasRequestAtMost(behind: 5) else { return nil }
        // Tags ascend by kind, so each of the five has a fixed place.
        let (account, place, card) = (record.tag(at: 0), record.tag(at: 1), record.tag(at: 4))
        guard account.kind == .account, place.kind == .shop, record.tag(at: 2).kind == .campaign, card.kind == .card else { return nil }
        let code = record.tag(at: 3)
        guard code.kind == .code else { return nil }
        (holder, shop, self.code, self.card) = (account.value, place.value, code.value, card.value)
    }
}

/// A `CardDiscarded`, read without decoding. It is stored in tags alone.
///
/// It accepts only records that `LoyaltyCodec` would decode as such an event: version 1, no payload, exactly the four tags of the type in
/// their order, and at most the two hashes of a request after them. The codec handles everything else, including refusals.
package struct DiscardedCard {
    /// The ids in the event's tags.
    package let holder, shop, card: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .cardDiscarded, record.schemaVersion == 1, record.payload.isEmpty else { return nil }
        guard record.hasRequestAtMost(behind: 4) else { return nil }
        let (account, place, campaign, card) = (record.tag(at: 0), record.tag(at: 1), record.tag(at: 2), record.tag(at: 3))
        guard account.kind == .account, place.kind == .shop, campaign.kind == .campaign, card.kind == .card else { return nil }
        (holder, shop, self.card) = (account.value, place.value, card.value)
    }
}

/// An `AccountRegistered` in the form that this program writes, read without decoding.
///
/// It accepts only records that `LoyaltyCodec` would decode as such an event: version 1, exactly the two tags of the type, at most the two
/// hashes of a request after them, and a payload of one field that is not empty. The codec handles everything else, including refusals.
package struct RegisteredAccount {
    /// The account's id.
    package let account: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .accountRegistered, record.schemaVersion == 1, record.hasRequestAtMost(behind: 2) else { return nil }
        let account = record.tag(at: 0)
        guard account.kind == .account, record.tag(at: 1).kind == .phone else { return nil }
        // The payload must have the form `0A length bytes`, with the length as a varint of one byte.
        let payload = record.payload
        guard payload.count > 2, payload[0] == 0x0A, payload[1] < 0x80, payload.count == 2 + Int(payload[1]) else { return nil }
        self.account = account.value
    }
}

extension Record {
    /// Whether the first `count` tags are followed by nothing, or only by the two hashes of a request.
    @inline(__always)
    func hasRequestAtMost(behind count: Int) -> Bool {
        if tagCount == count { return true }
        return tagCount == count + 2 && tag(at: count).kind == .request && tag(at: count + 1).kind == .digest
    }
}
