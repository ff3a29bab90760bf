internal import LMDB
package import Loyalty
internal import LoyaltyCodec

/// The stored form of a card with its history. Equal cards have equal bytes. All numbers are little-endian.
///
/// ```
///  0 u8 form = 3   1 u8 status   2 u8 1 if a redemption was requested   3 u8 1 for a sealed reward, plus twice the number of milestones
///  4 u32 goal      8 u32 stamps  12 u32 entries      16 i64 opened at, µs
/// 24 u128 campaign 40 u128 shop  56 u128 holder      72 u128 newest redemption, else 0
/// 88 i64 expires at, µs, else the least i64   96 i64 redeemed until, µs, else the least i64
/// 104 entries: u64 position, i64 at µs, u8 kind, i8 stamps, or the milestone's number of stamps
///  … milestones, each: u8 stamps, u8 1 if its reward is sealed, u16 length of its reward in bytes, its reward
///  … the card's reward in UTF-8, or its sealed bytes, to the end
/// ```
/// If this form changes, ``CardProgress/schemaVersion`` MUST be raised, so that the model is rebuilt.
package enum CardRow {
    private static let form: UInt8 = 3
    @usableFromInline static let entriesAt = 104
    @usableFromInline static let entryBytes = 18
    private static let milestoneHeadBytes = 4

    /// A row's fields without the history and the reward.
    package struct Head {
        let status: CardStatus
        let goal, stamps: UInt32
        /// Microseconds since 1970.
        let opened: Int64
        let campaign, shop, holder: UInt128
        let redemption: UInt128?
        let terms: CardTerms

        package init(
            status: CardStatus, goal: UInt32, stamps: UInt32, opened: Int64, campaign: UInt128, shop: UInt128, holder: UInt128,
            redemption: UInt128?, terms: CardTerms
        ) {
            (self.status, self.goal, self.stamps, self.opened) = (status, goal, stamps, opened)
            (self.campaign, self.shop, self.holder, self.redemption) = (campaign, shop, holder, redemption)
            self.terms = terms
        }
    }

    /// Replaces `bytes` by the row of a card.
    package static func encode(_ card: Card, into bytes: inout [UInt8]) {
        let head = Head(
            status: card.status, goal: UInt32(clamping: card.goal), stamps: UInt32(clamping: card.stamps),
            opened: card.openedAt.microseconds, campaign: card.campaign.value, shop: card.shop.value, holder: card.holder.value,
            redemption: card.newestRedemption?.value, terms: card.terms)
        layOut(head, entries: card.history.count, card.reward, into: &bytes)
        var row = bytes.mutableSpan
        for (place, entry) in card.history.enumerated() { write(entry, at: place, into: &row) }
    }

    /// Replaces `bytes` by a row with room for `entries` entries, which the caller then writes.
    package static func layOut(_ head: Head, entries: Int, _ reward: TypedText, into bytes: inout [UInt8]) {
        bytes.setCount(entriesAt + entries * entryBytes)
        for milestone in head.terms.milestones { append(milestone, to: &bytes) }
        append(reward, to: &bytes)
        var row = bytes.mutableSpan
        row[0] = form
        row[1] = head.status.rawValue
        row[2] = head.redemption == nil ? 0 : 1
        row[3] = (reward.open == nil ? 1 : 0) | UInt8(clamping: head.terms.milestones.count) << 1
        row.store(littleEndian: head.goal, at: 4)
        row.store(littleEndian: head.stamps, at: 8)
        row.store(littleEndian: UInt32(clamping: entries), at: 12)
        row.store(littleEndian: head.opened, at: 16)
        row.store(littleEndian: head.campaign, at: 24)
        row.store(littleEndian: head.shop, at: 40)
        row.store(littleEndian: head.holder, at: 56)
        row.store(littleEndian: head.redemption ?? 0, at: 72)
        row.store(littleEndian: head.terms.expiresAt?.microseconds ?? .min, at: 88)
        row.store(littleEndian: head.terms.redeemUntil?.microseconds ?? .min, at: 96)
    }

    /// Writes one entry, numbered from 0, at its place in the row.
    @inlinable @inline(__always)
    package static func write(_ entry: CardEntry, at number: Int, into row: inout MutableSpan<UInt8>) {
        let place = entriesAt + number * entryBytes
        row.store(littleEndian: entry.position, at: place)
        row.store(littleEndian: entry.at.microseconds, at: place + 8)
        row[place + 16] = entry.kind.rawValue
        row[place + 17] = UInt8(bitPattern: Int8(clamping: entry.milestone ?? entry.stamps))
    }

    @inline(__always)
    static func append(_ entry: CardEntry, to bytes: inout [UInt8]) {
        let number = (bytes.count - entriesAt) / entryBytes
        bytes.setCount(bytes.count + entryBytes)
        var row = bytes.mutableSpan
        write(entry, at: number, into: &row)
    }

    /// The card of a row; nil if the bytes are not a row of this form.
    package static func decode(_ bytes: Span<UInt8>, id: CardID) -> Card? {
        guard let status = status(of: bytes), bytes[2] <= 1, let history = history(of: bytes) else { return nil }
        let rest = bytes.extracting(droppingFirst: entriesAt + history.count * entryBytes)
        guard let (milestones, end) = milestones(of: rest, count: Int(bytes[3] >> 1)),
            let reward = text(rest.extracting(droppingFirst: end), isSealed: bytes[3] & 1 == 1)
        else { return nil }
        let redemption = bytes.littleEndian128(at: 72)
        if bytes[2] == 0, redemption != 0 { return nil }
        return Card(
            id: id, campaign: CampaignID(bytes.littleEndian128(at: 24)), shop: ShopID(bytes.littleEndian128(at: 40)),
            holder: AccountID(bytes.littleEndian128(at: 56)), goal: Int(bytes.littleEndian32(at: 4)), reward: reward,
            terms: CardTerms(expiresAt: bytes.timeIfAny(at: 88), redeemUntil: bytes.timeIfAny(at: 96), milestones: milestones),
            stamps: Int(bytes.littleEndian32(at: 8)), status: status, openedAt: bytes.time(at: 16),
            newestRedemption: bytes[2] == 1 ? RedemptionID(redemption) : nil, history: history)
    }

    /// Reads only the status, so that lists can filter without decoding.
    static func status(of bytes: Span<UInt8>) -> CardStatus? {
        guard bytes.count >= entriesAt, bytes[0] == form else { return nil }
        return CardStatus(rawValue: bytes[1])
    }

    /// The status at `now`, as in `Card.status(at:)`; the recorded one if nil.
    static func status(of bytes: Span<UInt8>, at now: Instant?) -> CardStatus? {
        guard let status = status(of: bytes), let now else { return status(of: bytes) }
        guard status == .collecting || status == .full, let end = bytes.timeIfAny(at: 88) else { return status }
        return end <= now ? .expired : status
    }

    private static func history(of bytes: Span<UInt8>) -> [CardEntry]? {
        let count = Int(bytes.littleEndian32(at: 12))
        guard count > 0, bytes.count >= entriesAt + count * entryBytes else { return nil }
        var history: [CardEntry] = []
        history.reserveCapacity(count + 1)
        for index in 0..<count {
            let at = entriesAt + index * entryBytes
            guard let kind = CardEntry.Kind(rawValue: bytes[at + 16]) else { return nil }
            let time = bytes.time(at: at + 8)
            let (number, position) = (Int(Int8(bitPattern: bytes[at + 17])), bytes.littleEndian64(at: at))
            let milestone = kind.isOfMilestone ? number : nil
            history.append(CardEntry(at: time, kind: kind, stamps: milestone == nil ? number : 0, position: position, milestone: milestone))
        }
        return history
    }

    private static func text(_ text: Span<UInt8>, isSealed: Bool) -> TypedText? {
        if isSealed { return .sealed(Sealed(text.indices.map { text[$0] })) }
        guard let valid = try? UTF8Span(validating: text) else { return nil }
        return .clear(String(copying: valid))
    }

    private static func append(_ text: TypedText, to bytes: inout [UInt8]) {
        switch text {
        case .clear(let text): bytes.append(contentsOf: text.utf8)
        case .sealed(let sealed): bytes.append(contentsOf: sealed.bytes)
        }
    }

    private static func append(_ milestone: Milestone, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += [UInt8(clamping: milestone.at), milestone.reward.open == nil ? 1 : 0, 0, 0]
        append(milestone.reward, to: &bytes)
        let length = UInt16(clamping: bytes.count - start - milestoneHeadBytes)
        (bytes[start + 2], bytes[start + 3]) = (UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8))
    }

    private static func milestones(of bytes: Span<UInt8>, count: Int) -> ([Milestone], end: Int)? {
        var (milestones, place) = ([Milestone](), 0)
        for _ in 0..<count {
            guard place + milestoneHeadBytes <= bytes.count, bytes[place + 1] <= 1 else { return nil }
            let (start, length) = (place + milestoneHeadBytes, Int(bytes[place + 2]) | Int(bytes[place + 3]) << 8)
            guard start + length <= bytes.count,
                let reward = text(bytes.extracting(start..<start + length), isSealed: bytes[place + 1] == 1)
            else { return nil }
            milestones.append(Milestone(at: Int(bytes[place]), reward: reward))
            place = start + length
        }
        return (milestones, place)
    }
}

extension CardRow {
    /// Writes into `row` a copy of `base` with single stamps added from index `first` (-1 for none). Returns false if the bytes are not a
    /// row.
    static func add(_ stamps: [CardCache.Stamp], from first: Int, to base: Span<UInt8>, into row: inout [UInt8]) -> Bool {
        guard let status = status(of: base) else { return false }
        let entries = Int(base.littleEndian32(at: 12))
        guard base.count >= entriesAt + entries * entryBytes else { return false }
        row.removeAll(keepingCapacity: true)
        row.append(copying: base.extracting(first: entriesAt + entries * entryBytes))
        var (place, count) = (first, 0)
        while place >= 0 {
            let stamp = stamps[place]
            append(CardEntry(at: stamp.time, kind: .stamped, stamps: 1, position: stamp.position), to: &row)
            (place, count) = (Int(stamp.next), count + 1)
        }
        row.append(copying: base.extracting(droppingFirst: entriesAt + entries * entryBytes))
        let (goal, sum) = (Int(base.littleEndian32(at: 4)), Int(base.littleEndian32(at: 8)) + count)
        var head = row.mutableSpan
        head[1] = status.stamped(to: sum, goal: goal).rawValue
        head.store(littleEndian: UInt32(clamping: sum), at: 8)
        head.store(littleEndian: UInt32(clamping: entries + count), at: 12)
        return true
    }
}

extension CardRow {
    /// Such as "full, 10 of 10 stamps for …, 11 entries, last at position 42".
    static func text(_ bytes: Span<UInt8>) -> String? {
        guard let card = decode(bytes, id: CardID(0)), let last = card.history.last else { return nil }
        let redemption = card.newestRedemption.map { ", redemption \($0.text)" } ?? ""
        let reward = card.reward.open.map { "\"\($0)\"" } ?? "a sealed reward"
        return "\(card.status), \(card.stamps) of \(card.goal) stamps for \(reward), holder \(card.holder.text), "
            + "campaign \(card.campaign.text), shop \(card.shop.text), opened \(card.openedAt.rfc3339)\(redemption), "
            + "\(card.history.count) entries, last at position \(last.position)"
    }
}
