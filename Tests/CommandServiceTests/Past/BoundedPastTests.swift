import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels
import Testing

import World
import struct EventLog.Tag

@testable import CommandService
@testable import Composition

/// The number of events that a question about one entity reads. A long history of an entity must not slow down the writer or other
/// readers.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct BoundedPastTests {
    private static let (account, owner, shop) = (AccountID(1), AccountID(2), ShopID(10))

    /// A log of the given events, by default one per second. It has the resulting world and a counter of the events that are read.
    private final class Bench {
        let log: EventLog
        let counted: CountedSource
        private(set) var world = World()
        private let folder: TemporaryFolder

        init(
            _ events: [LoyaltyEvent], at time: (Int) -> Instant = { HandClock.start.advanced(bySeconds: Int64($0)) }
        ) throws {
            folder = try TemporaryFolder()
            let data = DataFolder(folder.path)
            log = try EventLog(
                directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite,
                created: Timestamp(microseconds: 0))
            counted = CountedSource(log)
            let appender = try log.appender()
            for (number, event) in events.enumerated() {
                let fact = Fact(position: UInt64(number) + 1, time: time(number), actor: BoundedPastTests.owner, event: event)
                try appender.stage([LoyaltyCodec.encode(event, by: fact.actor, at: fact.time, mark: nil)])
                world.evolve(fact)
            }
            try appender.commit()
        }

        var past: LogPast<CountedSource> { LogPast(counted) }

        /// Reads an event without counting it.
        func fact(at position: UInt64) throws -> Fact? { try log.event(at: Position(position)).map { try LoyaltyCodec.decode($0) } }

        deinit { try? log.close() }
    }

    private static let opening: [LoyaltyEvent] = [
        .accountRegistered(AccountRegistered(account: account, phone: Secret(1), sealedPhone: Sealed([1]))),
        .accountRegistered(AccountRegistered(account: owner, phone: Secret(2), sealedPhone: Sealed([1]))),
        .shopOpened(
            ShopOpened(
                shop: shop, owner: owner, name: "茶", phone: "123", address: "1", location: Coordinate(latitude: 1, longitude: 1))),
    ]

    @Test("Thousands of profile and password changes do not slow down reading an account")
    func profile() throws {
        let edits = (0..<3_000).flatMap { number -> [LoyaltyEvent] in
            let name = Sealed([UInt8(number % 251), 1])
            let change = ProfileChange(nickname: .set(name), avatar: .cleared, gender: .cleared, birthday: .cleared, city: .cleared)
            return [
                .profileEdited(ProfileEdited(account: Self.account, change: change)),
                .passwordSet(PasswordSet(account: Self.account, sealedHash: name)),
            ]
        }
        let bench = try Bench(Self.opening + edits)
        #expect(try bench.past.account(Self.account) == bench.world.account(Self.account))
        #expect(bench.counted.reads <= 8)
    }

    @Test("Profile edits of older logs, which hold only the changed fields, are folded correctly")
    func olderProfile() throws {
        let name = LoyaltyEvent.profileEdited(
            ProfileEdited(account: Self.account, change: ProfileChange(nickname: .set(Sealed([1])))))
        let city = LoyaltyEvent.profileEdited(ProfileEdited(account: Self.account, change: ProfileChange(city: .set(Sealed([2])))))
        let bench = try Bench(Self.opening + [name, city])
        #expect(try bench.past.account(Self.account)?.profile == Profile(nickname: Sealed([1]), city: Sealed([2])))
    }

    /// Returns an offer of work.
    private static func invited(_ number: Int) -> LoyaltyEvent {
        .staffInvited(
            StaffInvited(
                invitation: InvitationID(UInt128(number)), shop: shop, account: AccountID(UInt128(1_000 + number)),
                expiresAt: HandClock.start.advanced(bySeconds: Int64(number) + 7 * 86_400)))
    }

    /// Returns this many offers of work, with numbers from 1, each followed by its withdrawal.
    private static func withdrawnOffers(_ count: Int) -> [LoyaltyEvent] {
        (1...count).flatMap { number -> [LoyaltyEvent] in
            let ended = InvitationEnded(
                invitation: InvitationID(UInt128(number)), shop: shop, account: AccountID(UInt128(1_000 + number)))
            return [invited(number), .invitationEnded(ended)]
        }
    }

    @Test("Reading a shop with thousands of withdrawn offers costs a bounded number of reads")
    func offers() throws {
        let joined = LoyaltyEvent.staffJoined(StaffJoined(invitation: InvitationID(0), shop: Self.shop, account: AccountID(1_000)))
        let bench = try Bench(Self.opening + [Self.invited(0), joined] + Self.withdrawnOffers(3_000) + [Self.invited(3_001)])
        let shop = try bench.past.shop(Self.shop)
        #expect(shop == bench.world.shop(Self.shop) && shop?.offers.count == 1 && shop?.staff == [AccountID(1_000)])
        #expect(bench.counted.reads <= CommandService.Limits.offersReadMax + 10)
    }

    @Test("A shop's offer to another account lapses once, even if thousands of offers of work were made after it")
    func transferBehindOffers() throws {
        let (invitation, account) = (InvitationID(9_999), AccountID(99))
        let end = HandClock.start.advanced(bySeconds: 7 * 86_400)
        let offered = LoyaltyEvent.transferOffered(
            TransferOffered(invitation: invitation, shop: Self.shop, account: account, expiresAt: end))
        let lapsed = LoyaltyEvent.transferLapsed(
            TransferLapsed(invitation: invitation, shop: Self.shop, account: account, dueAt: end))
        let later = Self.withdrawnOffers(CommandService.Limits.offersReadMax / 2)
        let histories: [(events: [LoyaltyEvent], lapses: [LoyaltyEvent])] = [
            ([offered] + later, [lapsed]), ([offered, lapsed] + later, []), ([offered] + later + [lapsed], []),
        ]
        for (events, lapses) in histories {
            let bench = try Bench(Self.opening + events)
            var past = bench.past
            #expect(try past.shop(Self.shop) == bench.world.shop(Self.shop))
            #expect(bench.counted.reads <= CommandService.Limits.offersReadMax + 10)
            let judged = try LapseTransfer(shop: Self.shop).judge(in: &past, by: .system, at: end)
            #expect(judged == .success(lapses))
        }
    }

    @Test("A campaign that was ended and reopened thousands of times is read like any other")
    func reopenedCampaign() throws {
        let (campaign, end) = (CampaignID(20), HandClock.start.advanced(bySeconds: 86_400))
        let terms = CampaignTerms<TypedText>(title: "", details: "", goal: 4, reward: "Tea", startsAt: HandClock.start, endsAt: end)
        let published = CampaignPublished(campaign: campaign, shop: Self.shop, kind: .stampCard, terms: terms)
        let churn = (0..<3_000).flatMap { _ -> [LoyaltyEvent] in
            [
                .campaignEnded(CampaignEnded(campaign: campaign, shop: Self.shop)),
                .campaignReopened(CampaignReopened(campaign: campaign, shop: Self.shop, endsAt: end)),
            ]
        }
        for events in [churn, churn.dropLast()] {
            let bench = try Bench(Self.opening + [.campaignPublished(published)] + events)
            #expect(try bench.past.campaign(campaign) == bench.world.campaign(campaign))
            #expect(bench.counted.reads <= 4)
        }
    }

    @Test("Stamps that bonus hours alone add are no gains, and do not hide gains")
    func gainsAmongBonuses() throws {
        let (campaign, holder) = (CampaignID(20), Self.account)
        let events = (0..<100).flatMap { number -> [LoyaltyEvent] in
            (0..<5).flatMap { part -> [LoyaltyEvent] in
                let (card, code) = (CardID(UInt128(1_000 + number * 5 + part)), CodeID(UInt128(100 + number)))
                let opened = CardOpened(card: card, campaign: campaign, shop: Self.shop, holder: holder, goal: 1, reward: "Tea")
                let stamped = CardStamped(
                    card: card, code: code, campaign: campaign, shop: Self.shop, holder: holder, stamps: 1, worth: part == 4 ? 1 : 0)
                return [.cardOpened(opened), .cardStamped(stamped)]
            }
        }
        let reversed = StampReversed(
            card: CardID(1_499), code: CodeID(199), campaign: campaign, shop: Self.shop, holder: holder, stamps: 1, reason: "")
        for count in [0, 1, 63, 64, 65, 100] {
            let last: [LoyaltyEvent] = count == 100 ? [.stampReversed(reversed)] : []
            let bench = try Bench(Self.opening + Array(events.prefix(count * 10)) + last)
            let gains = try bench.past.gains(of: holder, in: campaign)
            #expect(gains == bench.world.gains(of: holder, in: campaign))
            #expect(gains.newest.count == min(count, Loyalty.Limits.stampGains))
            #expect(bench.counted.reads <= 6 * Loyalty.Limits.stampGains)
        }
    }

    @Test("Stamps that were taken back are no gains, and do not hide gains")
    func gainsAmongReversals() throws {
        let (campaign, holder) = (CampaignID(20), Self.account)
        let stamps = (0..<150).map { number in
            CardStamped(
                card: CardID(1_000), code: CodeID(UInt128(100 + number)), campaign: campaign, shop: Self.shop, holder: holder, stamps: 1)
        }
        let (before, after) = (stamps.prefix(100), stamps.suffix(50).map { LoyaltyEvent.cardStamped($0) })
        for count in [0, 1, 50, 90, 100] {
            let reversals = before.suffix(count).map { stamped in
                LoyaltyEvent.stampReversed(
                    StampReversed(
                        card: stamped.card, code: stamped.code, campaign: campaign, shop: Self.shop, holder: holder, stamps: 1, reason: ""))
            }
            let bench = try Bench(Self.opening + before.map { LoyaltyEvent.cardStamped($0) } + reversals + after)
            let gains = try bench.past.gains(of: holder, in: campaign)
            #expect(gains == bench.world.gains(of: holder, in: campaign))
            #expect(gains.newest.count == min(150 - count, Loyalty.Limits.stampGains))
            #expect(bench.counted.reads <= 2 * (count + Loyalty.Limits.stampGains))
        }
    }

    @Test(
        "The past knows the offset of every time zone, before and after clock changes",
        arguments: [
            ("Europe/Berlin", 1_711_846_799, 3_600), ("Europe/Berlin", 1_711_846_800, 7_200), ("Europe/Berlin", 1_729_990_799, 7_200),
            ("Europe/Berlin", 1_729_990_800, 3_600), ("Asia/Shanghai", 1_711_846_800, 28_800), ("Asia/Kathmandu", 1_711_846_800, 20_700),
            ("America/St_Johns", 1_729_990_800, -9_000), ("UTC", 1_711_846_800, 0), ("Middle/Earth", 1_711_846_800, 0),
        ])
    func zones(_ zone: String, _ second: Int64, _ ahead: Int) throws {
        let bench = try Bench(Self.opening)
        #expect(bench.past.secondsAhead(in: zone, at: Instant(microseconds: second * 1_000_000)) == ahead)
        #expect(bench.past.secondsAhead(in: zone, at: Instant(microseconds: second * 1_000_000 + 999_999)) == ahead)
    }

    @Test("Thousands of refreshes do not slow down reading a session")
    func session() throws {
        let start = LoyaltyEvent.sessionStarted(
            SessionStarted(
                session: SessionID(70), account: Self.account, token: Secret(1), expiresAt: HandClock.start.advanced(bySeconds: 10_000)))
        let refreshes = (2...3_000).map { number in
            LoyaltyEvent.sessionRefreshed(
                SessionRefreshed(
                    session: SessionID(70), account: Self.account, token: Secret(UInt128(number)),
                    expiresAt: HandClock.start.advanced(bySeconds: 10_000)))
        }
        let bench = try Bench(Self.opening + [start] + refreshes)
        let session = try bench.past.session(SessionID(70))
        #expect(session == bench.world.session(SessionID(70)) && session?.token == Secret(3_000))
        #expect(bench.counted.reads <= 80)
    }
}

/// The number of events that are read for a card with a long history. Repeated questions about the card read its history once.
extension BoundedPastTests {
    private static let card = CardID(30)

    /// Returns the events of a full card with this many requests for its redemption.
    private static func full(requests: Int) -> [LoyaltyEvent] {
        let campaign = CampaignID(20)
        let opened = CardOpened(card: card, campaign: campaign, shop: shop, holder: account, goal: 1, reward: "Tea")
        let stamped = CardStamped(card: card, code: CodeID(40), campaign: campaign, shop: shop, holder: account, stamps: 1, worth: 1)
        return [.cardOpened(opened), .cardStamped(stamped)]
            + (0..<requests).map { number in
                .redemptionRequested(
                    RedemptionRequested(
                        redemption: RedemptionID(UInt128(1_000 + number)), card: card, campaign: campaign, shop: shop, holder: account,
                        secret: Secret(UInt128(5_000 + number)), attempt: 0, expiresAt: HandClock.start.advanced(bySeconds: 9_000)))
            }
    }

    @Test("The answer to a repeated request reads no event of a cached card that has not changed since")
    func repeatedRequest() throws {
        let bench = try Bench(Self.opening + Self.full(requests: 1_000))
        let card = try #require(bench.world.card(Self.card))
        #expect(try LogPast(bench.counted, through: Position(card.version)).card(Self.card, orNewest: card) == card)
        #expect(bench.counted.reads == 0)
        // An answer about an earlier position does not include later events, even if the cached card does.
        let earlier = LogPast(bench.counted, through: Position(card.version - 1))
        #expect(try earlier.card(Self.card, orNewest: card)?.history == card.history.dropLast())
        #expect(try earlier.card(Self.card, orNewest: nil)?.history == card.history.dropLast())
    }

    @Test("A page of changes of one card looks up the card's newest redemption once")
    func changesOfOneCard() throws {
        let bench = try Bench(Self.opening + Self.full(requests: 1_000))
        var page = PageOfRedemptions(bench.counted)
        for number in 700..<956 {
            let fact = try #require(try bench.fact(at: UInt64(Self.opening.count + 2 + number + 1)))
            #expect(try page.replaced(by: fact, of: Self.card) == RedemptionID(UInt128(1_000 + number - 1)))
        }
        #expect(bench.counted.reads == 1)
    }

    @Test("A page of events of one card folds the card once, and shows its state after each event")
    func eventsOfOneCard() throws {
        let bench = try Bench(Self.opening + Self.full(requests: 300))
        for start in [Self.opening.count, Self.opening.count + 1, 200] {
            let before = bench.counted.reads
            var page = PageOfCards(LogPast(bench.counted, through: Position(UInt64(start))))
            for position in start + 1...min(start + 64, Int(bench.log.head.rawValue)) {
                let fact = try #require(try bench.fact(at: UInt64(position)))
                let then = try LogPast(bench.log, through: Position(UInt64(position))).card(Self.card)
                #expect(try page.card(Self.card, after: fact) == then)
                #expect(try page.card(Self.card) == then)
            }
            #expect(bench.counted.reads - before == start - Self.opening.count)
        }
    }

    @Test("A page of changes looks up each of its cards once, even a card that does not exist")
    func valuesOfOneCard() throws {
        let bench = try Bench(Self.opening + Self.full(requests: 300))
        var page = PageOfCards(bench.past)
        for _ in 0..<256 {
            #expect(try page.card(Self.card) == bench.world.card(Self.card))
            #expect(try page.card(CardID(99)) == nil)
        }
        #expect(bench.counted.reads == 302)
    }
}

/// The lists of events at a shop, some of which a till import wrote: they are older than the events before them in the log.
extension BoundedPastTests {
    private static let campaign = CampaignID(20)
    private static let past = HandClock.start.advanced(bySeconds: -100 * 86_400)
    private static var today: ShopDays {
        let day = ReportZone.utc.day(of: HandClock.start)
        return ShopDays(day...day + 1, in: .utc)
    }

    private static func stamps(_ count: Int) -> [LoyaltyEvent] {
        (0..<count).map { number in
            .cardStamped(
                CardStamped(
                    card: CardID(UInt128(10_000 + number)), code: CodeID(UInt128(20_000 + number)), campaign: campaign, shop: shop,
                    holder: account, stamps: 1, worth: 1))
        }
    }

    private static func code(_ number: Int, until end: Instant) -> LoyaltyEvent {
        .codeIssued(
            CodeIssued(
                code: CodeID(UInt128(number)), campaign: campaign, shop: shop, secret: Secret(UInt128(number)), attempt: 0, stamps: 1,
                expiresAt: end))
    }

    @Test(
        "Today's events are listed before hundreds of imported older events, and before thousands if their place is known",
        arguments: [300, 900, 2_000])
    func importedStamps(_ imported: Int) throws {
        let live = Self.opening.count + 5
        let bench = try Bench(Self.opening + Self.stamps(5 + imported)) { number in
            (number < live ? HandClock.start : Self.past).advanced(bySeconds: Int64(number))
        }
        let query = Query.items([QueryItem(types: [.cardStamped], tags: [Tag(kind: .shop, value: Self.shop.value)])])
        let places: ClosedRange<UInt64> = (imported < 1_000 ? 1 : 4)...UInt64.max
        let acts = try bench.past.acts(matching: query, on: Self.today, within: places, before: nil, limit: 50) { _ in true }
        #expect(acts.facts.map(\.position) == [8, 7, 6, 5, 4] && acts.next == nil)
    }

    @Test("The list of today's events at an old shop reads a bounded number of older events")
    func oldShop() throws {
        let old = Self.opening.count + 6_000
        let bench = try Bench(Self.opening + Self.stamps(6_005)) { number in
            (number < old ? Self.past : HandClock.start).advanced(bySeconds: Int64(number))
        }
        let acts = try bench.past.acts([.cardStamped], at: Self.shop, on: Self.today, before: nil, limit: 50) { _ in true }
        #expect(acts.facts.count == 5 && acts.next == nil)
        // The first step also contains events of today.
        #expect(bench.counted.reads == (1 + CommandService.Limits.shopActOldStepsMax) * CommandService.Limits.shopActsPerStep)
    }

    @Test("Open codes are found before imported codes, and an expired code is not looked up")
    func importedCodes() throws {
        let live = Self.opening.count + 3
        let open = (0..<3).map { Self.code(100 + $0, until: HandClock.start.advanced(bySeconds: 3_600)) }
        let imported = (0..<600).map { Self.code(1_000 + $0, until: Self.past.advanced(bySeconds: 3_600)) }
        let bench = try Bench(Self.opening + open + imported) { number in
            (number < live ? HandClock.start : Self.past).advanced(bySeconds: Int64(number))
        }
        let codes = try bench.past.openCodes(of: Self.owner, at: Self.shop, now: HandClock.start.advanced(bySeconds: 60))
        #expect(codes == [CodeID(102), CodeID(101), CodeID(100)])
        #expect(bench.counted.reads < 700)
    }

    @Test("Open codes are counted for their issuer behind a thousand imported codes, as many as a limit, and imported codes are not open")
    func countedCodes() throws {
        let (now, limit) = (HandClock.start.advanced(bySeconds: 2_000), CommandService.Limits.staffCodesReadMax)
        for (issued, imported, counted) in [(3, 1_020, 3), (0, 1_020, 0), (limit + 5, 0, limit), (limit + 5, 600, limit)] {
            let live = Self.opening.count + issued
            let open = (0..<issued).map { Self.code(100 + $0, until: HandClock.start.advanced(bySeconds: 36_000)) }
            let old = (0..<imported).map { Self.code(10_000 + $0, until: Self.past.advanced(bySeconds: 3_600)) }
            let bench = try Bench(Self.opening + open + old) { number in
                (number < live ? HandClock.start : Self.past).advanced(bySeconds: Int64(number))
            }
            let shop = try #require(try bench.past.shop(Self.shop))
            let counts = try bench.past.openCodeCounts(at: shop, now: now)
            #expect(counts == (counted == 0 ? [:] : [Self.owner: counted]), "\(issued) issued, then \(imported) imported")
        }
    }
}

/// The log with a counter of the events read from it. Use it from one thread.
final class CountedSource: EventSource {
    private let log: EventLog
    private(set) var reads = 0

    init(_ log: EventLog) { self.log = log }

    var head: Position { log.head }

    func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position] {
        try log.positions(matching: query, after: after, through: through, backwards: backwards, limit: limit)
    }

    func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position? { try log.lastPosition(of: tag, type: type) }

    func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        reads += 1
        return try log.withRecord(at: position, body)
    }
}
