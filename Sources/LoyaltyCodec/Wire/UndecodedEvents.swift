package import EventLog
package import Loyalty

/// A `CodeIssued` read without decoding, the second most frequent event.
///
/// Accepts only what `LoyaltyCodec` would decode to the same values: version 1 or 2, exact tags, and fields in order and shortest form. The
/// codec handles everything else.
package struct IssuedCode {
    /// An attempt of 0 is left out; any other takes two bytes.
    private static let payloadBytes = 11...13

    package let shop, code: UInt128
    /// 1 to 10.
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

    /// For the payload `[08 attempt] 10 stamps 19 expiresAt`: two varints of one byte, then eight bytes.
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

/// A `CardOpened` read without decoding, by the same rules as ``IssuedCode``.
///
/// New cards and accounts are a fifth of a log's events, so each model would otherwise have to decode these.
package struct OpenedCard {
    /// The field keys of an unsealed and of a sealed reward.
    private static let (clearKey, sealedKey): (UInt8, UInt8) = (0x12, 0x1a)
    /// The first version with sealed rewards.
    private static let sealingVersion: UInt16 = 2
    /// The codec reads cards with terms, coupons, and cards that another shop opened.
    private static let newestVersion: UInt16 = 6
    /// Two keys, the goal, and the text's length.
    private static let rewardAt = 4

    package let holder, shop, campaign, card: UInt128
    /// 1 to 50.
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

    /// Equals the codec's fact of this record.
    package func fact(of record: borrowing Record, at position: Position) -> Fact {
        let event = CardOpened(
            card: CardID(card), campaign: CampaignID(campaign), shop: ShopID(shop), holder: AccountID(holder), goal: goal,
            reward: Self.reward(of: record))
        return Fact(
            position: position.rawValue, time: Instant(microseconds: record.time.microseconds), actor: AccountID(record.actor),
            event: .cardOpened(event))
    }

    package static func reward(of record: borrowing Record) -> TypedText {
        let text = record.payload.extracting(droppingFirst: rewardAt)
        if record.payload[2] == sealedKey { return .sealed(Sealed(text.indices.map { text[$0] })) }
        guard let text = try? UTF8Span(validating: text) else { return "" }
        return .clear(String(copying: text))
    }

    /// For the payload `08 goal 12 length reward`, with `1a` if sealed; varints of one byte, and valid UTF-8 that is not empty.
    @inline(__always)
    private static func goal(_ payload: Span<UInt8>, _ version: UInt16) -> Int? {
        guard payload.count > rewardAt, payload[0] == 0x08, payload[3] < 0x80 else { return nil }
        guard payload.count == rewardAt + Int(payload[3]), 1...50 ~= Int(payload[1]) else { return nil }
        if payload[2] == sealedKey { return version >= sealingVersion ? Int(payload[1]) : nil }
        guard payload[2] == clearKey, (try? UTF8Span(validating: payload.extracting(droppingFirst: rewardAt))) != nil else { return nil }
        return Int(payload[1])
    }
}

/// A `CardStamped` of one stamp, read without decoding. It is stored in tags alone, and is the most frequent event.
///
/// Accepts only what `LoyaltyCodec` would decode to the same values; the codec handles everything else.
package struct SingleStamp {
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

/// A `CardDiscarded`, read without decoding, by the rules of ``SingleStamp``.
package struct DiscardedCard {
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

/// An `AccountRegistered`, read without decoding, by the rules of ``IssuedCode``.
package struct RegisteredAccount {
    package let account: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .accountRegistered, record.schemaVersion == 1, record.hasRequestAtMost(behind: 2) else { return nil }
        let account = record.tag(at: 0)
        guard account.kind == .account, record.tag(at: 1).kind == .phone else { return nil }
        // `0A length bytes`, with the length as a varint of one byte.
        let payload = record.payload
        guard payload.count > 2, payload[0] == 0x0A, payload[1] < 0x80, payload.count == 2 + Int(payload[1]) else { return nil }
        self.account = account.value
    }
}

extension Record {
    /// Whether only a request's two hashes may follow.
    @inline(__always)
    func hasRequestAtMost(behind count: Int) -> Bool {
        if tagCount == count { return true }
        return tagCount == count + 2 && tag(at: count).kind == .request && tag(at: count + 1).kind == .digest
    }
}
