import EventLog
import Loyalty
import LoyaltyCodec
import Testing

@testable import ReadModels

/// Readers that take values from a record without the codec. The codec must accept every record that they accept, and must decode the same
/// values.
@Suite struct UndecodedTests {
    private static let marks = [nil, RequestMark(request: 77, digest: 78)]

    @Test("An issued code as this program writes it is read without the codec")
    func issuedCode() throws {
        for stamps in 1...10 {
            for attempt in [0, 1, 127] {
                for mark in Self.marks {
                    let bytes = try record(of: issued(attempt, stamps), mark)
                    #expect(try readsAsDecoded(bytes))
                }
            }
        }
    }

    @Test("A code whose attempt number takes two bytes is left to the codec")
    func longAttempt() throws {
        #expect(try !readsAsDecoded(try record(of: issued(128, 1), nil)))
    }

    @Test("A stamping event is read without the codec only if it has one stamp")
    func singleStamp() throws {
        for mark in Self.marks {
            #expect(try readsAsDecoded(try record(of: stamped(1), mark)))
            #expect(try !readsAsDecoded(try record(of: stamped(2), mark)))
        }
    }

    @Test("A changed, cut or extended record is never read differently from how the codec reads it")
    func changedByte() throws {
        var taken = 0
        for mark in Self.marks {
            for event in [issued(0, 3), issued(5, 10), stamped(1), opened(10, "A cup of 茶"), registered(42), discarded] {
                let bytes = try record(of: event, mark)
                for place in bytes.indices {
                    for flip in [UInt8(1), 2, 8, 0x80, 0xFF] {
                        var changed = bytes
                        changed[place] ^= flip
                        if try readsAsDecoded(changed) { taken += 1 }
                    }
                }
                for count in bytes.indices { _ = try readsAsDecoded(Array(bytes[..<count])) }
                _ = try readsAsDecoded(bytes + [0])
            }
        }
        // Many changed records are still read, because most bytes belong to ids and times, where any value is valid.
        #expect(taken > 1_000)
    }

    @Test("A new card is read without the codec only if it has a goal and a reward of 1 to 127 bytes")
    func newCard() throws {
        for mark in Self.marks {
            for goal in [1, 10, 50] {
                for reward in ["A", "免费一杯", String(repeating: "x", count: 127)] {
                    #expect(try readsAsDecoded(try record(of: opened(goal, .clear(reward)), mark)))
                }
            }
            // A coupon has no goal, so its record has to be decoded.
            #expect(try !readsAsDecoded(try record(of: opened(0, "A"), mark)))
            // Empty rewards and long rewards are encoded differently, so their records have to be decoded.
            for reward in ["", String(repeating: "x", count: 128)] {
                #expect(try !readsAsDecoded(try record(of: opened(10, .clear(reward)), mark)))
            }
        }
    }

    @Test("A sealed reward is read undecoded only in a version that supports it")
    func sealedRewardsAreRead() throws {
        for mark in Self.marks {
            for count in [1, 42, 127] {
                let event = opened(10, .sealed(Sealed(Array(repeating: 0xFE, count: count))))
                #expect(try readsAsDecoded(try record(of: event, mark)))
                #expect(try !readsAsDecoded(try record(of: event, mark, version: 1)))
            }
            #expect(try !readsAsDecoded(try record(of: opened(10, .sealed(Sealed(Array(repeating: 1, count: 128)))), mark)))
            #expect(try readsAsDecoded(try record(of: opened(10, "A"), mark, version: 1)))
        }
    }

    @Test("A new account is read without the codec only if its sealed phone has at most 127 bytes")
    func newAccount() throws {
        for mark in Self.marks {
            for count in [1, 42, 127] { #expect(try readsAsDecoded(try record(of: registered(count), mark))) }
            #expect(try !readsAsDecoded(try record(of: registered(128), mark)))
        }
    }

    @Test("A discarded card's record is read without the codec")
    func discardedCard() throws {
        for mark in Self.marks { #expect(try readsAsDecoded(try record(of: discarded, mark))) }
    }

    /// Returns true if the record was read without decoding, and checks that the codec agrees.
    private func readsAsDecoded(_ bytes: [UInt8]) throws -> Bool {
        guard let record = Record(bytes.span) else { return false }
        if let stamp = SingleStamp(record) {
            guard case .cardStamped(let event) = try LoyaltyCodec.decode(record, at: Position(1)).event else {
                Issue.record("the record of another event was read as a stamp")
                return true
            }
            #expect(stamp.card == event.card.value && stamp.code == event.code.value)
            #expect(stamp.holder == event.holder.value && stamp.shop == event.shop.value && event.stamps == 1)
            return true
        }
        if let code = IssuedCode(record) {
            guard case .codeIssued(let event) = try LoyaltyCodec.decode(record, at: Position(1)).event else {
                Issue.record("the record of another event was read as a code")
                return true
            }
            #expect(code.code == event.code.value && code.shop == event.shop.value && code.stamps == event.stamps)
            return true
        }
        return try isReadAsCardOrAccount(record)
    }

    private func isReadAsCardOrAccount(_ record: borrowing Record) throws -> Bool {
        if let card = OpenedCard(record) {
            let (read, decoded) = (card.fact(of: record, at: Position(1)), try LoyaltyCodec.decode(record, at: Position(1)))
            #expect(read.event == decoded.event && read.time == decoded.time)
            #expect(read.actor == decoded.actor && read.position == decoded.position)
            return true
        }
        if let card = DiscardedCard(record) {
            guard case .cardDiscarded(let event) = try LoyaltyCodec.decode(record, at: Position(1)).event else {
                Issue.record("the record of another event was read as a discarded card")
                return true
            }
            #expect(card.card == event.card.value && card.holder == event.holder.value && card.shop == event.shop.value)
            return true
        }
        guard let account = RegisteredAccount(record) else { return false }
        guard case .accountRegistered(let event) = try LoyaltyCodec.decode(record, at: Position(1)).event else {
            Issue.record("the record of another event was read as a new account")
            return true
        }
        #expect(account.account == event.account.value)
        return true
    }

    private func record(of event: LoyaltyEvent, _ mark: RequestMark?, version: UInt16? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let time = Instant(microseconds: 1_700_000_000_000_000)
        var new = try LoyaltyCodec.encode(event, by: AccountID(9), at: time, mark: mark)
        if let version { new.schemaVersion = version }
        try RecordEncoder.append(new, to: &bytes)
        return bytes
    }

    private func issued(_ attempt: Int, _ stamps: Int) -> LoyaltyEvent {
        .codeIssued(
            CodeIssued(
                code: CodeID(1), campaign: CampaignID(2), shop: ShopID(3), secret: Secret(4), attempt: attempt, stamps: stamps,
                expiresAt: Instant(microseconds: 1_700_000_600_000_000)))
    }

    private func stamped(_ stamps: Int) -> LoyaltyEvent {
        .cardStamped(
            CardStamped(card: CardID(5), code: CodeID(1), campaign: CampaignID(2), shop: ShopID(3), holder: AccountID(6), stamps: stamps))
    }

    private func opened(_ goal: Int, _ reward: TypedText) -> LoyaltyEvent {
        .cardOpened(
            CardOpened(card: CardID(5), campaign: CampaignID(2), shop: ShopID(3), holder: AccountID(6), goal: goal, reward: reward))
    }

    private var discarded: LoyaltyEvent {
        .cardDiscarded(CardDiscarded(card: CardID(5), campaign: CampaignID(2), shop: ShopID(3), holder: AccountID(6)))
    }

    private func registered(_ count: Int) -> LoyaltyEvent {
        let sealed = Sealed([UInt8](repeating: 7, count: count))
        return .accountRegistered(AccountRegistered(account: AccountID(6), phone: Secret(8), sealedPhone: sealed))
    }
}
