internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// The course of one card: its number of stamps, and the times of its opening, stamps, reward and end.
public struct CardJourney: Hashable, Sendable {
    public let campaign: CampaignID
    public internal(set) var holder: AccountID
    /// 0 for a coupon, which is full when it is opened.
    public let goal: Int
    public let openedAt: Instant
    public internal(set) var stamps = 0
    /// The earliest stamp, perhaps not the first in the log, because an import adds past events.
    public internal(set) var firstStampAt: Instant?
    public internal(set) var lastStampAt: Instant?
    /// Nil while the card is not full, also after an adjustment took it below its goal.
    public internal(set) var filledAt: Instant?
    /// Nil before, and after the reward was taken back.
    public internal(set) var redeemedAt: Instant?
    public internal(set) var discardedAt: Instant?

    var isTakenBack: Bool { firstStampAt != nil && stamps <= 0 }

    package init(campaign: CampaignID, holder: AccountID, goal: Int, openedAt: Instant) {
        (self.campaign, self.holder, self.goal, self.openedAt) = (campaign, holder, goal, openedAt)
        if goal == 0 { filledAt = openedAt }
    }

    mutating func stamp(_ added: Int, at time: Instant) {
        stamps += added
        firstStampAt = min(firstStampAt ?? time, time)
        lastStampAt = max(lastStampAt ?? time, time)
        if filledAt == nil, stamps >= goal { filledAt = time }
    }

    mutating func adjust(by change: Int, at time: Instant) {
        stamps += change
        filledAt = stamps >= goal ? filledAt ?? time : nil
    }
}

extension CardJourney: StoredRow {
    mutating func take(_ event: WaitingCardTaken, at time: Instant) {
        holder = event.holder
        adjust(by: event.stamps - stamps, at: time)
        if event.stamps == 0 { discardedAt = time }
    }

    /// Sets all values that change after the opening.
    package mutating func set(stamps: Int, first: Instant?, last: Instant?, filled: Instant?, redeemed: Instant?, discarded: Instant?) {
        (self.stamps, firstStampAt, lastStampAt) = (stamps, first, last)
        (filledAt, redeemedAt, discardedAt) = (filled, redeemed, discarded)
    }

    static let noun = "a card's row"
    private static let rowBytes = 88

    /// Replaces `row` by the row of the card. All numbers are little-endian. Times are in microseconds, and the least i64 means never.
    ///
    /// ```
    ///  0 u128 campaign   16 u128 holder    32 i64 opened   40 i64 first stamp   48 i64 last stamp   56 i64 filled
    /// 64 i64 redeemed    72 i64 discarded  80 i32 stamps   84 u32 goal
    /// ```
    package func encode(into row: inout [UInt8]) {
        row.setCount(Self.rowBytes)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: campaign.value, at: 0)
        bytes.store(littleEndian: holder.value, at: 16)
        bytes.store(littleEndian: openedAt.microseconds, at: 32)
        bytes.store(littleEndian: firstStampAt?.microseconds ?? .min, at: 40)
        bytes.store(littleEndian: lastStampAt?.microseconds ?? .min, at: 48)
        bytes.store(littleEndian: filledAt?.microseconds ?? .min, at: 56)
        bytes.store(littleEndian: redeemedAt?.microseconds ?? .min, at: 64)
        bytes.store(littleEndian: discardedAt?.microseconds ?? .min, at: 72)
        bytes.store(littleEndian: Int32(clamping: stamps), at: 80)
        bytes.store(littleEndian: UInt32(clamping: goal), at: 84)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count == Self.rowBytes else { return nil }
        guard let opened = row.timeIfAny(at: 32) else { return nil }
        self.init(
            campaign: CampaignID(row.littleEndian128(at: 0)), holder: AccountID(row.littleEndian128(at: 16)),
            goal: Int(row.littleEndian32(at: 84)), openedAt: opened)
        set(
            stamps: Int(Int32(bitPattern: row.littleEndian32(at: 80))), first: row.timeIfAny(at: 40), last: row.timeIfAny(at: 48),
            filled: row.timeIfAny(at: 56), redeemed: row.timeIfAny(at: 64), discarded: row.timeIfAny(at: 72))
    }
}

extension CardJourney {
    static func text(_ row: Span<UInt8>) -> String? {
        guard let journey = CardJourney(row) else { return nil }
        var text = "\(journey.stamps) of \(journey.goal) stamps, holder \(journey.holder.text), campaign \(journey.campaign.text)"
        for (word, time) in [
            ("opened", journey.openedAt), ("first stamp", journey.firstStampAt), ("last stamp", journey.lastStampAt),
            ("filled", journey.filledAt), ("redeemed", journey.redeemedAt), ("discarded", journey.discardedAt),
        ] as [(String, Instant?)] {
            if let time { text += ", \(word) \(time.rfc3339)" }
        }
        return text
    }
}

/// A quarter of an hour in which a customer's cards were stamped at a shop; several stamps are one visit.
public struct ShopVisit: Hashable, Sendable {
    public let account: AccountID
    public let quarter: Quarter
    public let stamps: Int

    package init(account: AccountID, quarter: Quarter, stamps: Int) {
        (self.account, self.quarter, self.stamps) = (account, quarter, stamps)
    }

    /// Reads a row of ``Journeys``: shop, account and quarter → number of stamps.
    package init?(key: Span<UInt8>, _ row: Span<UInt8>) {
        guard key.count == 40, row.count == 4 else { return nil }
        let quarter = UInt64(truncatingIfNeeded: key.bigEndian128(at: 24))
        self.init(account: AccountID(key.bigEndian128(at: 16)), quarter: Quarter(key: quarter), stamps: Int(row.littleEndian32(at: 0)))
    }
}
