import EventLog
import Loyalty
import LoyaltyCodec
import Seeds
import Testing
import World

@testable import CommandService
@testable import Composition

/// The writer's cache (`HotPast`) on its own, with queries that no command makes. Its answers equal those of the `World`, also for evicted
/// objects and for staged events.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct HotPastTests {
    @Test("The cached past gives the same answers as the world, whatever was evicted", arguments: [1, 2, 7, 20, 1_000])
    func likeWorld(limit: Int) throws {
        let folder = try TemporaryFolder()
        let log = try openLog(in: folder)
        let appender = try log.appender()
        var (past, world) = (HotPast(appender, limit: limit), World())
        var random = SeededRandom(seed: Seed.value &+ UInt64(limit))
        for (number, moment) in RandomHistory(seed: Seed.value, steps: 1_500).moments.enumerated() {
            for fact in (try? moment.facts.get()) ?? [] {
                let event = try LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: nil)
                try appender.stage([event])
                past.evolve(fact)
                world.evolve(fact)
            }
            if number.isMultiple(of: 25) { try appender.commit() }
            for _ in 0..<4 { try ask(&past, world, &random) }
            // The newest card is looked up every time, because an outdated cache entry would show there first.
            if let card = moment.cards.last {
                let collecting = try past.collectingCard(of: card.holder, in: card.campaign)
                try #require(collecting == world.collectingCard(of: card.holder, in: card.campaign))
                let gains = try past.gains(of: card.holder, in: card.campaign)
                try #require(gains == world.gains(of: card.holder, in: card.campaign))
            }
        }
        try log.close()
    }

    /// The cache entry that names a holder's collecting card may stay when the card itself is evicted.
    @Test("A card that is filled after its eviction is no longer its holder's collecting card")
    func evictedCard() throws {
        let folder = try TemporaryFolder()
        let log = try openLog(in: folder)
        let appender = try log.appender()
        var past = HotPast(appender, limit: 2)
        let (holder, campaign, full) = (AccountID(1), CampaignID(1), CardID(1))
        for number in 1...9 {
            let holder = AccountID(UInt128(number))
            try take(in: .cardOpened(opening(CardID(UInt128(number)), of: holder)), to: &past, appender)
            if number == 1 { #expect(try past.collectingCard(of: holder, in: campaign)?.id == full) }
        }
        #expect(try past.collectingCard(of: holder, in: campaign)?.id == full)
        for number in 2...9 { #expect(try past.card(CardID(UInt128(number)))?.stamps == 0, "reading this card helps to evict card 1") }
        try take(in: .cardStamped(stamp(on: full, of: holder)), to: &past, appender)
        #expect(try past.card(full)?.status == .full)
        #expect(try past.collectingCard(of: holder, in: campaign) == nil)
        try log.close()
    }

    @Test("An older gain that had no place in the cached list is there again after newer ones were taken back")
    func reversedGains() throws {
        let folder = try TemporaryFolder()
        let log = try openLog(in: folder)
        let appender = try log.appender()
        var past = HotPast(appender, limit: 100)
        let (holder, campaign, most) = (AccountID(1), CampaignID(1), Loyalty.Limits.stampGains)
        for number in 1...(most + 6) {
            let stamped = CardStamped(
                card: CardID(1), code: CodeID(UInt128(number)), campaign: campaign, shop: ShopID(1), holder: holder, stamps: 1)
            try take(in: .cardStamped(stamped), to: &past, appender)
            #expect(try past.gains(of: holder, in: campaign).newest.count == min(number, most))
        }
        for number in (most - 4)...(most + 6) {
            let reversed = StampReversed(
                card: CardID(1), code: CodeID(UInt128(number)), campaign: campaign, shop: ShopID(1), holder: holder, stamps: 1, reason: "")
            try take(in: .stampReversed(reversed), to: &past, appender)
        }
        let kept = (1..<(most - 4)).map { CodeID(UInt128($0)) }
        #expect(try past.gains(of: holder, in: campaign).newest.map(\.code) == kept)
        try log.close()
    }

    @Test("Stamps that are given and taken back in turn are not read again, however many were taken back before")
    func reversalsInTurn() throws {
        let folder = try TemporaryFolder()
        let log = try openLog(in: folder)
        let appender = try log.appender()
        var (past, world) = (HotPast(appender, limit: 100), World())
        let (holder, campaign, most) = (AccountID(1), CampaignID(1), Loyalty.Limits.stampGains)
        var recent: RecentGains?
        func stamp(_ codes: Range<Int>) throws {
            for code in codes.map({ CodeID(UInt128($0)) }) {
                let stamped = CardStamped(card: CardID(1), code: code, campaign: campaign, shop: ShopID(1), holder: holder, stamps: 1)
                let fact = try take(in: .cardStamped(stamped), to: &past, appender)
                world.evolve(fact)
                recent?.add(StampGains.Gain(code: code, at: fact.time, stamps: 1))
            }
        }
        func takeBack(_ codes: Range<Int>) throws {
            for code in codes.map({ CodeID(UInt128($0)) }) {
                let reversed = StampReversed(
                    card: CardID(1), code: code, campaign: campaign, shop: ShopID(1), holder: holder, stamps: 1, reason: "")
                world.evolve(try take(in: .stampReversed(reversed), to: &past, appender))
                recent?.limit(code, to: 0)
            }
        }
        try stamp(1..<201)
        try stamp(1_000..<2_000)
        try takeBack(1_000..<2_000)
        try appender.commit()
        recent = try RecentGains(of: holder, in: campaign, from: LogPast(appender))
        for turn in 2_000..<2_100 {
            try stamp(turn..<turn + 1)
            #expect(recent?.counted == world.gains(of: holder, in: campaign))
            try takeBack(turn..<turn + 1)
            #expect(recent?.counted == world.gains(of: holder, in: campaign))
        }
        try stamp(3_000..<3_000 + most)
        try takeBack(3_000..<3_000 + most)
        #expect(recent?.counted == world.gains(of: holder, in: campaign))
        try takeBack(200..<201)
        #expect(recent?.counted == nil, "an older gain is among the newest now, and the list lacks it")
        #expect(try past.gains(of: holder, in: campaign) == world.gains(of: holder, in: campaign))
        try log.close()
    }

    private func opening(_ card: CardID, of holder: AccountID) -> CardOpened {
        CardOpened(card: card, campaign: CampaignID(1), shop: ShopID(1), holder: holder, goal: 1, reward: "The second")
    }

    private func stamp(on card: CardID, of holder: AccountID) -> CardStamped {
        CardStamped(card: card, code: CodeID(1), campaign: CampaignID(1), shop: ShopID(1), holder: holder, stamps: 1)
    }

    @discardableResult
    private func take(in event: LoyaltyEvent, to past: inout HotPast, _ appender: Appender) throws -> Fact {
        let fact = Fact(position: appender.head.rawValue + 1, time: HandClock.start, actor: AccountID(1), event: event)
        try appender.stage([LoyaltyCodec.encode(event, by: fact.actor, at: fact.time, mark: nil)])
        past.evolve(fact)
        return fact
    }

    private func openLog(in folder: TemporaryFolder) throws -> EventLog {
        let data = DataFolder(folder.path)
        return try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite, created: Timestamp(microseconds: 0))
    }

    /// Makes one random query, mostly about recent objects.
    private func ask(_ past: inout HotPast, _ world: World, _ random: inout SeededRandom) throws {
        let holder = AccountID(UInt128(Int.random(in: 1..<9, using: &random)))
        let campaign = CampaignID(UInt128(Int.random(in: 1..<7, using: &random)))
        let code = CodeID(UInt128(Int.random(in: max(1, world.codes.count - 30)...max(1, world.codes.count), using: &random)))
        switch Int.random(in: 0..<9, using: &random) {
        case 0: try #require(past.account(holder) == world.account(holder))
        case 1: try #require(past.campaign(campaign) == world.campaigns[campaign])
        case 2: try #require(past.code(code) == world.codes[code])
        case 5:
            guard let shop = world.shops.keys.sorted().randomElement(using: &random) else { return }
            try #require(past.campaigns(of: shop) == world.campaigns(of: shop))
        case 3:
            let card = CardID(code.value * 100)
            try #require(past.card(card) == world.cards[card])
        case 4:
            let redemption = RedemptionID(UInt128(1_000 + Int.random(in: 1...max(1, world.redemptions.count * 2), using: &random)))
            try #require(past.redemption(redemption) == world.redemptions[redemption])
        case 6:
            let favorite = Favorite(account: holder, campaign: campaign)
            try #require(past.has(favorite) == world.favorites.contains(favorite))
        case 7: try #require(past.gains(of: holder, in: campaign) == world.gains(of: holder, in: campaign))
        default: try #require(past.collectingCard(of: holder, in: campaign) == world.collectingCard(of: holder, in: campaign))
        }
    }
}
