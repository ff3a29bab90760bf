import EventLog
import Histories
import Loyalty
import Projections
import Testing

@testable import ReadModels

/// The findings of a shop's digest, for histories written by hand with just too few cases, and with just enough.
@Suite(.timeLimit(.minutes(15))) struct DigestTests {
    /// 2024-03-04, a Monday, in days since 1970.
    private static let monday = 19_786
    private static let shop = ShopID(1)
    private static let campaign = CampaignID(5)
    private static let (owner, barista, other) = (AccountID(10), AccountID(11), AccountID(12))
    private static let time = DigestTime(instant(monday + 100, 12), in: .utc)
    private static let daily = OpeningHours(days: Weekdays.all.rawValue, fromMinute: 8 * 60, toMinute: 12 * 60)

    private static func instant(_ day: Int, _ hour: Double) -> Instant {
        Instant(microseconds: Int64((Double(day) * 24 + hour) * 3_600_000_000))
    }

    private static func place(_ options: CampaignOptions = .none, isRunning: Bool = true) -> DigestShop {
        let terms: CampaignTerms<TypedText> = CampaignTerms(
            title: "Ten cups", details: "", goal: 5, reward: "tea", startsAt: instant(0, 0), endsAt: instant(90_000, 0), options: options)
        let published = CampaignPublished(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)
        let fact = Fact(position: 1, time: instant(monday, 0), actor: owner, event: .campaignPublished(published))
        return DigestShop(owner: owner, openingHours: [daily], campaigns: isRunning ? [Campaign(opening: fact)].compactMap(\.self) : [])
    }

    /// A history to which events are added. Days are counted from the digest's today.
    private struct Story {
        private(set) var facts: [Fact] = []

        mutating func tell(_ event: LoyaltyEvent, _ day: Int, _ hour: Double = 9, by actor: AccountID = owner) {
            let time = instant(monday + 100 + day, hour)
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: actor, event: event))
        }

        mutating func open(
            _ card: UInt128, _ day: Int, _ hour: Double = 9, endsOn end: Int? = nil, redeemUntil last: Int? = nil, at shop: ShopID = shop
        ) {
            let terms = CardTerms(
                expiresAt: end.map { instant(monday + 100 + $0, 0) }, redeemUntil: last.map { instant(monday + 100 + $0, 0) })
            let event = CardOpened(
                card: CardID(card), campaign: campaign, shop: shop, holder: AccountID(card << 8), goal: 5, reward: "tea", terms: terms)
            tell(.cardOpened(event), day, hour)
        }

        mutating func issue(_ code: CodeID, by member: AccountID) {
            let event = CodeIssued(
                code: code, campaign: campaign, shop: shop, secret: Secret(code.value), attempt: 0, stamps: 1,
                expiresAt: instant(monday + 200, 0))
            tell(.codeIssued(event), -2, by: member)
        }

        mutating func stamp(_ card: UInt128, _ stamps: Int, _ day: Int, _ hour: Double = 9) {
            let event = CardStamped(
                card: CardID(card), code: CodeID(UInt128(facts.count)), campaign: campaign, shop: shop, holder: AccountID(card << 8),
                stamps: stamps)
            tell(.cardStamped(event), day, hour)
        }
    }

    private static func figures(_ story: Story, isRunning: Bool = true) async throws -> DigestFigures {
        let open = try OpenData(TestData())
        #expect(try await open.append(story.facts))
        let figures = DigestFigures(
            acts: try open.models.statistics.digest(of: shop, time),
            cards: try open.models.journeys.digest(of: shop, time, campaigns: [campaign: isRunning]) { (holder) throws(ReadModelError) in
                try open.models.customers.has(holder, of: shop)
            },
            ending: try open.models.deadlines.ending(of: shop, time), reversals: [:])
        try open.close()
        return figures
    }

    private static func findings(_ story: Story, at shop: DigestShop = place()) async throws -> [DigestFinding] {
        ShopDigest(of: try await figures(story), at: shop).findings
    }

    @Test("Thirty cards that end within two weeks are a finding, and twenty-nine are none, nor are others', later and void ones")
    func ending() async throws {
        for (cards, expected) in [(29, []), (30, [DigestFinding.cardsEnding(CardsEnding(30)!)])] {
            var story = Story()
            for card in 1...UInt128(cards) { story.open(card, -3, endsOn: card % 2 == 0 ? 1 : 14) }
            story.open(1_000, -3, endsOn: 15)
            story.open(1_001, -3)
            story.open(1_002, -3, endsOn: 2, at: ShopID(2))
            story.open(1_003, -3, endsOn: 3)
            story.open(1_004, -3, endsOn: 3, redeemUntil: -1)
            let redeemed = CardRedeemed(
                redemption: RedemptionID(1), card: CardID(1_003), campaign: Self.campaign, shop: Self.shop, holder: AccountID(1_003 << 8))
            story.tell(.cardRedeemed(redeemed), -2)
            #expect(try await Self.findings(story) == expected)
            #expect(expected.allSatisfy { $0.cases == 30 && $0.act(at: Self.place()) == .message })
        }
    }

    @Test("Thirty rewards that wait for two weeks are a finding, and twenty-nine are none, nor are newer, handed-out and erased ones")
    func waiting() async throws {
        for (cards, expected) in [(29, []), (30, [DigestFinding.rewardsWaiting(RewardsWaiting(30)!)])] {
            var story = Story()
            for card in 1...UInt128(cards) {
                story.open(card, -40)
                story.stamp(card, 5, card % 2 == 0 ? -30 : -15)
            }
            for card in 1_000...1_040 as ClosedRange<UInt128> {
                story.open(card, -40)
                story.stamp(card, 5, -13)
            }
            story.open(2_000, -40)
            story.stamp(2_000, 5, -30)
            let redeemed = CardRedeemed(
                redemption: RedemptionID(1), card: CardID(2_000), campaign: Self.campaign, shop: Self.shop, holder: AccountID(2_000 << 8))
            story.tell(.cardRedeemed(redeemed), -20)
            story.open(3_000, -40)
            story.stamp(3_000, 5, -30)
            story.tell(.accountErased(AccountErased(account: AccountID(3_000 << 8))), -20)
            let figures = try await Self.figures(story)
            #expect(figures.cards?.full == cards + 41 && figures.cards?.waiting == cards)
            #expect(ShopDigest(of: figures, at: Self.place()).findings == expected)
        }
    }

    @Test("Thirty cards that reached a number of stamps are a finding if a tenth was left there, and twenty-nine are none")
    func left() async throws {
        for (cards, isFound) in [(29, false), (30, true)] {
            var story = Story()
            for card in 1...UInt128(cards) {
                story.open(card, -90)
                story.stamp(card, card <= 3 ? 1 : 5, -90)
            }
            // Cards opened sixty days ago may still be filled, so they count neither as left nor as having reached the stamp.
            for card in 1_000...1_040 as ClosedRange<UInt128> {
                story.open(card, -60)
                story.stamp(card, 1, -60)
            }
            let found = try await Self.findings(story).compactMap { if case .cardsLeft(let found) = $0 { found } else { nil } }
            #expect((found.first != nil) == isFound)
            guard isFound, let found = found.first else { continue }
            #expect(found.campaign == Self.campaign && found.stamps == 1 && found.reached == 30 && found.left == 3)
            #expect(DigestFinding.cardsLeft(found).act(at: Self.place()) == .editCampaign(Self.campaign, .welcomeStamps(1)))
            #expect(DigestFinding.cardsLeft(found).act(at: Self.place(isRunning: false)) == .none)
            let welcome = Self.place(CampaignOptions(welcomeStamps: 1))
            #expect(DigestFinding.cardsLeft(found).act(at: welcome) == .editCampaign(Self.campaign, .welcomeStamps(2)))
            #expect(try await !Self.findings(story, at: welcome).contains { $0.kind == .cardsLeft }, "a welcome that was given is proposed")
            let most = Self.place(CampaignOptions(welcomeStamps: 4))
            #expect(DigestFinding.cardsLeft(found).act(at: most) == .editCampaign(Self.campaign, .milestone(2)))
            let taken = Self.place(CampaignOptions(welcomeStamps: 4, milestones: [Milestone(at: 2, reward: .clear("cake"))]))
            #expect(DigestFinding.cardsLeft(found).act(at: taken) == .none)
        }
    }

    @Test("Fewer than a tenth of the cards, and the cards of a campaign that is over, are no finding")
    func fewLeft() async throws {
        var story = Story()
        for card in 1...31 as ClosedRange<UInt128> {
            story.open(card, -90)
            story.stamp(card, card <= 3 ? 1 : 5, -90)
        }
        #expect(try await Self.figures(story).cards?.left[Self.campaign]?.steps[1].reached == 31)
        #expect(try await Self.findings(story).contains { $0.kind == .cardsLeft } == false)
        #expect(try await Self.figures(story, isRunning: false).cards?.left == [:])
    }

    /// Visits at nine, ten and eleven o'clock on each of 28 days, and a few at eight.
    private static func week(_ visits: Int, early: Int, hour: Double = 8) -> Story {
        var story = Story()
        for card in 1...UInt128(max(visits, early)) {
            story.open(card, -40)
            for place in 0..<4 {
                let day = -28 + Int(card) % 28
                if place > 0, card <= visits { story.stamp(card, 1, day, hour + Double(place)) }
                if place == 0, card <= early { story.stamp(card, 1, day, hour) }
            }
        }
        return story
    }

    @Test("An hour with half of the visits of an average hour is quiet if thirty were expected, and not if twenty-nine were")
    func quiet() async throws {
        for (visits, early, isFound) in [(29, 10, false), (30, 15, true), (30, 16, false)] {
            let figures = try await Self.figures(Self.week(visits, early: early))
            #expect(figures.acts?.visits.joined().reduce(0, +) == 3 * visits + early)
            let found = try #require(figures.acts).visits
            let quiet = QuietHour(found, open: [Self.daily])
            #expect((quiet != nil) == isFound)
            #expect(QuietHour(found, open: nil) == nil && QuietHour(found, open: []) == nil)
            guard let quiet else { continue }
            #expect(quiet.hour == 8 && quiet.visits == 15 && quiet.expected == 30 && quiet.days == .all)
            let bonus = BonusHours(days: .all, fromMinute: 480, toMinute: 540, factor: 2)
            #expect(DigestFinding.quietHour(quiet).act(at: Self.place()) == .editCampaign(Self.campaign, .bonus(bonus)))
            #expect(DigestFinding.quietHour(quiet).act(at: Self.place(isRunning: false)) == .publishCampaign(.bonus(bonus)))
            #expect(DigestFinding.quietHour(quiet).act(at: Self.place(CampaignOptions(bonuses: [bonus]))) == .none)
        }
    }

    @Test("Visits count once a customer and quarter of an hour, in the shop's time, and neither today nor before 28 days ago")
    func visits() async throws {
        var story = Story()
        for day in [-29, -28, -1, 0] {
            let card = UInt128(100 + day)
            story.open(card, -40)
            for hour in [9, 9.1, 9.2, 9.5] { story.stamp(card, 1, day, hour) }
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(story.facts))
        // The digest's day is a Wednesday, so the 28 days begin on a Wednesday and end on a Tuesday.
        let utc = try open.models.statistics.digest(of: Self.shop, Self.time)
        #expect(utc.visits[2][9] == 2 && utc.visits[1][9] == 2 && utc.visits.joined().reduce(0, +) == 4)
        #expect(utc.today.day == Self.monday + 100 && utc.today.stamps == 4)
        let shanghai = DigestTime(Self.time.now, in: try #require(ReportZone(name: "Asia/Shanghai")))
        #expect(try open.models.statistics.digest(of: Self.shop, shanghai).visits[2][17] == 2)
        try open.close()
    }

    @Test("Opening hours over midnight belong to the next day, and a part of an hour is not open")
    func overnight() {
        var visits = Array(repeating: Array(repeating: 40, count: 24), count: 7)
        visits[0][1] = 1
        let late = OpeningHours(days: 1 << 6, fromMinute: 23 * 60, toMinute: 120)
        let quiet = QuietHour(visits, open: [late])
        #expect(quiet?.hour == 1 && quiet?.days == Weekdays(rawValue: 1) && quiet?.expected == 40)
        let part = OpeningHours(days: 1 << 6, fromMinute: 23 * 60, toMinute: 119)
        #expect(QuietHour(visits, open: [part]) == nil)
    }

    @Test("Unused codes are not given, so a member cannot hide reversals behind them", arguments: [0, 300])
    func unused(_ codes: Int) async throws {
        var story = Story()
        for card in 1...100 as ClosedRange<UInt128> {
            story.open(card, -3)
            // The next stamp is by the code whose id is the number of facts before it.
            story.issue(CodeID(UInt128(story.facts.count) + 1), by: card <= 36 ? Self.barista : Self.other)
            story.stamp(card, 1, -2)
        }
        for number in 0..<codes { story.issue(CodeID(UInt128(10_000 + number)), by: Self.barista) }
        var figures = try await Self.figures(story)
        #expect(figures.acts?.given == [Self.barista: 36, Self.other: 64])
        figures.reversals = [Self.barista: 34]
        let found = ShopDigest(of: figures, at: Self.place()).findings.first
        #expect(found?.kind == .unusualReversals && found?.cases == 36)
    }

    @Test("A member's reversals are unusual by Fisher's exact test, with thirty cases of the member and of the rest")
    func reversals() {
        let (owner, barista, other) = (Self.owner, Self.barista, Self.other)
        func found(_ given: Int, _ reversed: Int, others: (Int, Int) = (400, 4)) -> UnusualReversals? {
            UnusualReversals([barista: given, other: others.0], [barista: reversed, other: others.1], except: owner)
        }
        #expect(found(29, 29) == nil, "29 cases")
        let unusual = found(30, 8)
        #expect(unusual?.account == barista && unusual?.member.reversed == 8 && unusual?.others.given == 400)
        #expect(found(30, 10, others: (29, 0)) == nil, "the rest of the team has 29 cases")
        #expect(found(30, 10, others: (30, 0)) != nil)
        #expect(found(0, 29) == nil && found(0, 30)?.member.cases == 30, "a member who only takes back")
        #expect(found(98, 2) == nil, "twice the share of the others, as chance often has it")
        let ofOwner = UnusualReversals([owner: 30, other: 400], [owner: 8, other: 4], except: owner)
        #expect(ofOwner == nil, "the owner may correct everybody")
        let busy = UnusualReversals([barista: 8_900, other: 100], [barista: 100, other: 900], except: owner)
        #expect(busy?.account == other, "the barista took back far less than the other")
        #expect(UnusualReversals(nil, [:], except: owner) == nil && UnusualReversals([:], nil, except: owner) == nil)
    }

    @Test("The chance of reversals is the tail of the hypergeometric distribution")
    func chance() {
        func choose(_ n: Int, _ k: Int) -> Double { k < 0 || k > n ? 0 : (0..<k).reduce(1.0) { $0 * Double(n - $1) / Double($1 + 1) } }
        for (total, marked, drawn) in [(20, 6, 9), (50, 3, 30), (31, 31, 4), (40, 0, 7)] {
            for least in 0...(marked + 1) {
                let expected = (least...(max(least, marked))).reduce(0.0) {
                    $0 + choose(marked, $1) * choose(total - marked, drawn - $1) / choose(total, drawn)
                }
                let found = UnusualReversals.chance(of: least, drawn: drawn, marked: marked, of: total)
                #expect(abs(found - expected) < 1e-9, "\(total) \(marked) \(drawn) \(least): \(found), \(expected)")
            }
        }
        #expect(UnusualReversals.chance(of: 100, drawn: 9_000, marked: 1_000, of: 10_000) == 1)
    }

    @Test("Findings are in the order of importance, and a kind without figures is unanswered")
    func order() {
        var cards = DigestFigures.Cards()
        cards.waiting = 30
        let figures = DigestFigures(acts: nil, cards: cards, ending: 30, reversals: [:])
        let digest = ShopDigest(of: figures, at: Self.place())
        #expect(digest.findings.map(\.kind) == [.cardsEnding, .rewardsWaiting])
        #expect(digest.unanswered == [.unusualReversals, .quietHour])
        #expect(ShopDigest(of: DigestFigures(), at: Self.place()).unanswered == ShopDigest.Kind.allCases)
    }

    @Test("Each part of a digest reads the shop's own rows, and fails with the error tooMuch beyond its limit")
    func rows() async throws {
        var story = Story()
        for card in 1...20 as ClosedRange<UInt128> {
            story.open(card, -3, endsOn: 5)
            story.stamp(card, 1, -2)
            story.open(card + 100, -3, endsOn: 5, at: ShopID(2))
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(story.facts))
        let (models, time, campaigns) = (open.models, Self.time, [Self.campaign: true])
        #expect(try models.statistics.countedDigest(of: Self.shop, time, rowsMax: 40).rows == 40)
        let counted = try models.journeys.countedDigest(of: Self.shop, time, campaigns: campaigns, rowsMax: 20, isHeld: { _ in true })
        #expect(counted.rows == 20)
        let ending = try models.deadlines.countedEnding(of: Self.shop, time, rowsMax: 40)
        #expect(ending.rows == 40 && ending.cards == 20)
        let errors = [
            #expect(throws: ReadModelError.self) { _ = try models.statistics.countedDigest(of: Self.shop, time, rowsMax: 39) },
            #expect(throws: ReadModelError.self) {
                _ = try models.journeys.countedDigest(of: Self.shop, time, campaigns: campaigns, rowsMax: 19, isHeld: { _ in true })
            },
            #expect(throws: ReadModelError.self) { _ = try models.deadlines.countedEnding(of: Self.shop, time, rowsMax: 39) },
        ]
        #expect(errors.allSatisfy { $0?.code == .tooMuch })
        try open.close()
    }
}
