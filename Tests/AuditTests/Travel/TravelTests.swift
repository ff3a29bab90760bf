import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Seeds
import Testing
import World

@testable import Audit
@testable import PastStates
@testable import Projections
@testable import ReadModels

/// Answers about the past at many positions, compared with independent code that folds the same history from its beginning.
@Suite struct TravelTests {
    @Test("A card is shown as it was at each position")
    func pastCards() throws {
        let sample = try TravelSample("cards of the past")
        let ids = sample.history.world.cards.keys.sorted()
        for position in sample.positions() {
            let world = sample.world(position)
            for id in [ids[0], ids[ids.count / 2], ids[ids.count - 1], CardID(7)] {
                let answer = try #require(try sample.answer(.card(id), at: position), "all ways to compute give one answer")
                #expect(answer.rows == (world.cards[id].map { [$0.pastFields] } ?? []), "\(id.text) at \(position)")
                #expect(answer.isFound == (world.cards[id] != nil))
            }
        }
    }

    @Test("Every term of a card and every option of a campaign is among the shown fields")
    func terms() throws {
        let sample = try TravelSample("terms of the past")
        let position = Position(UInt64(sample.history.facts.count))
        let world = sample.world(position)
        let (card, campaign) = (try #require(world.cards.keys.min()), try #require(world.campaigns.keys.min()))
        for (subject, terms) in [(PastSubject.card(card), CardTerms.none as Any), (.campaign(campaign), CampaignOptions.none)] {
            let shown = try #require(try sample.answer(subject, at: position)?.rows.first).map(\.name)
            let names = Mirror(reflecting: terms).children.compactMap(\.label)
            #expect(!names.isEmpty && Set(names).isSubset(of: shown), "\(names), \(shown)")
        }
    }

    @Test("A shop is shown as it was at each position")
    func pastShops() throws {
        let sample = try TravelSample("shops of the past")
        for position in sample.positions() {
            let world = sample.world(position)
            for id in sample.history.shops {
                let answer = try #require(try sample.answer(.shop(id), at: position), "all ways to compute give one answer")
                let shop = world.shops[id]
                #expect(answer.isFound == (shop != nil))
                guard let shop else { continue }
                #expect(answer.field("name") == .text(shop.name) && answer.field("owner") == .word(shop.owner.text))
                #expect(answer.field("staff") == .list(shop.staff.sorted().map { .word($0.text) }))
                #expect(answer.field("suspended") == .flag(shop.isSuspended))
                #expect(answer.field("version") == .number(Int(shop.version)))
                #expect(answer.field("images") == .list(shop.images.map { .word($0.text) }))
                #expect(answer.field("color") == (shop.look.color.map { .word($0.name) } ?? PastValue.none))
                #expect(answer.field("logo") == (shop.look.logo.map { .word($0.text) } ?? PastValue.none))
                #expect(answer.field("rating") == .record(Self.rating(id, sample, position).fields))
                let campaigns = world.campaigns.values.filter { $0.shop == id }.sorted { $0.id < $1.id }.map { PastValue.word($0.id.text) }
                guard case .list(let shown)? = answer.field("campaigns") else { throw TravelFailure() }
                #expect(shown.count == campaigns.count)
                for campaign in campaigns { #expect(shown.contains { "\($0)".contains("\(campaign)") }) }
            }
        }
    }

    @Test("A shop has the color and logo of then, and none before it chose them")
    func pastLook() {
        let (shop, owner, logo) = (ShopID(1), AccountID(2), ImageID(3))
        var past = PastShop(shop)
        func apply(_ event: LoyaltyEvent, at position: UInt64) {
            past.apply(Fact(position: position, time: Instant(microseconds: 1), actor: owner, event: event))
        }
        func look() -> [PastValue] {
            let fields = past.fields(at: Instant(microseconds: 2), .none) ?? []
            return fields.filter { $0.name == "color" || $0.name == "logo" }.map(\.value)
        }
        apply(.shopOpened(ShopOpened(shop: shop, owner: owner, contact: .erased)), at: 1)
        #expect(look() == [PastValue.none, PastValue.none])
        let chosen = ShopLook(color: .teal, logo: logo)
        apply(.shopEdited(ShopEdited(shop: shop, contact: .erased, images: [], look: chosen)), at: 2)
        #expect(look() == [PastValue.word("teal"), PastValue.word(logo.text)])
    }

    @Test("An account is shown as it was at each position")
    func pastAccounts() throws {
        let sample = try TravelSample("accounts of the past")
        let people = [sample.history.owners[0]] + sample.history.customers.prefix(4) + sample.history.customers.suffix(1)
        for position in sample.positions() {
            let world = sample.world(position)
            for id in people {
                let answer = try #require(try sample.answer(.account(id), at: position), "all ways to compute give one answer")
                #expect(answer.isFound == (world.accounts[id] != nil))
                guard let account = world.accounts[id] else { continue }
                #expect(answer.field("registered") == .word(account.registeredAt.rfc3339))
                #expect(answer.field("erased") == .flag(account.isErased))
                let owned = world.shops.values.filter { $0.owner == id }.map { PastValue.word($0.id.text) }
                let employers = world.shops.values.filter { $0.staff.contains(id) }.map(\.id).sorted().map { PastValue.word($0.text) }
                #expect(answer.field("owns") == .list(owned) && answer.field("worksFor") == .list(employers))
                let cards = world.cards.values.filter { $0.holder == id }.sorted { $0.history[0].position < $1.history[0].position }
                #expect(answer.field("cards") == .list(cards.map(\.pastSummary)))
            }
        }
    }

    @Test("A campaign is shown as it was at each position")
    func pastCampaigns() throws {
        let sample = try TravelSample("campaigns of the past")
        for position in sample.positions() {
            let world = sample.world(position)
            for id in sample.history.world.campaigns.keys.sorted() {
                let answer = try #require(try sample.answer(.campaign(id), at: position), "all ways to compute give one answer")
                #expect(answer.isFound == (world.campaigns[id] != nil))
                guard let campaign = world.campaigns[id] else { continue }
                #expect(answer.field("title") == .text(campaign.title.open ?? "") && answer.field("goal") == .number(campaign.goal))
                #expect(answer.field("stampsPerDayMax") == (campaign.caps.stampsPerDayMax.map { .number($0) } ?? PastValue.none))
                #expect(answer.field("running") == .flag(campaign.isRunning(at: answer.moment.clock)))
                let counts = CardStatus.allCases.map { status in
                    PastField("\(status)", .number(world.cards.values.count { $0.campaign == id && $0.status == status }))
                }
                #expect(answer.field("cards") == .record(counts))
            }
        }
    }

    @Test("A shop's rating is shown as it was at each position")
    func pastRatings() throws {
        let sample = try TravelSample("ratings of the past", count: 1_500, customers: 3)
        for position in sample.positions() {
            let expected = sample.history.shops.sorted().map { ($0, Self.rating($0, sample, position)) }.filter { $0.1.count > 0 }
            let answer = try #require(try sample.answer(.ratings(nil), at: position), "all ways to compute give one answer")
            #expect(answer.rows == expected.map { [.id("shop", $0.0)] + $0.1.fields }, "at \(position)")
            for (shop, rating) in expected {
                let one = try #require(try sample.answer(.ratings(shop), at: position))
                #expect(one.rows == [[.id("shop", shop)] + rating.fields])
            }
        }
    }

    /// Computes a shop's rating from the facts: from the latest rating of each account, without reviews that were taken down.
    private static func rating(_ shop: ShopID, _ sample: TravelSample, _ position: Position) -> PastRating {
        let facts = sample.history.facts.prefix(Int(position.rawValue))
        var removed: Set<ReviewID> = []
        for case .reviewRemoved(let event) in facts.map(\.event) { removed.insert(event.review) }
        var latest: [AccountID: Int] = [:]
        for case .reviewPosted(let event) in facts.map(\.event) where event.shop == shop && !removed.contains(event.review) {
            if let stars = event.rating { latest[event.author] = stars }
        }
        return PastRating(stars: (1...5).map { stars in latest.values.count { $0 == stars } })
    }

    @Test("A shop's statistics are shown as the model showed them at each position")
    func pastStatistics() throws {
        let sample = try TravelSample("statistics of the past")
        let days = try #require(TravelSample.days())
        for position in [Position(1), Position(149), Position(150), Position(333), Position(600)] {
            let data = try TestData.with(sample.history.facts.prefix(Int(position.rawValue)))
            let log = try data.log()
            try AuditSample.build(Statistics.self, data, log)
            let model = try Statistics(StoredModel.open(Statistics.self, in: data.models).store)
            for shop in sample.history.shops {
                let answer = try #require(try sample.answer(.statistics(shop, days), at: position), "all ways to compute give one answer")
                let report = try model.report(of: shop, days.period(at: answer.moment.clock))
                #expect(answer.rows == report.pastRows(days.zone), "\(shop.text) at \(position)")
            }
        }
    }

    /// An import of a till's history appends events with earlier times.
    @Test("A question about a time is answered from the log before the first event with a later time")
    func pastTime() throws {
        var history = RandomHistory(random: SeededRandom.announced("times of the past"))
        history.grow(to: 600)
        let (facts, last) = (history.facts, history.facts.count)
        let imported = (1...30).map { number in
            let early = facts[number * 7]
            return Fact(position: UInt64(last + number), time: early.time, actor: early.actor, event: facts[0].event)
        }
        let folder = try AuditedFolder(try TestData.with(facts + imported).path)
        let log = try folder.log(.readOnly)
        let keeping = SnapshotKeeping(of: folder, log: log)
        let times = (facts + imported).map(\.time)
        let asked = times.indices.filter { $0 % 41 == 0 }.map { times[$0] } + [Instant(microseconds: 0), Instant(microseconds: .max)]
        for every: UInt64 in [1_000, 600, 100] {
            _ = try keeping.make(every: every)
            let travel = Travel(in: folder, log: log)
            for time in asked {
                let expected = times.firstIndex { $0 > time } ?? times.count
                let moment = try travel.moment(.time(Timestamp(microseconds: time.microseconds)))
                #expect(moment.position == Position(UInt64(expected)) && moment.clock == time)
            }
        }
    }

    @Test("The kept times lead to a start at most one stride before the first later event")
    func withinStride() throws {
        let sample = try TravelSample("strides", every: 0)
        let times = sample.history.facts.map(\.time.microseconds)
        for stride: UInt64 in [1, 7, 64] {
            var found = SnapshotTimes(stride: stride)
            try found.extend(sample.log, after: .start, through: Position(250))
            try found.extend(sample.log, after: Position(250), through: sample.log.head)
            for time in times {
                let start = Int(found.start(for: Timestamp(microseconds: time)).rawValue)
                let expected = times.firstIndex { $0 > time } ?? times.count
                #expect(start <= expected && expected - start <= Int(stride))
            }
        }
    }

    /// Otherwise the other tests would not exercise the index.
    @Test("An index or a snapshot reduces the number of records that an answer reads")
    func fewerRecords() throws {
        let sample = try TravelSample("index of the past", every: 0)
        let card = try #require(sample.history.world.cards.keys.min())
        let count = UInt64(sample.history.facts.count)
        for (usingIndex, expected) in [(true, count - 400), (false, count)] {
            let travel = Travel(in: sample.folder, log: sample.log, usingIndex: usingIndex)
            _ = try travel.answer(.card(card), at: try travel.moment(.head))
            #expect(travel.scanned == expected)
        }
        _ = try SnapshotKeeping(of: sample.folder, log: sample.log).make(every: 250)
        let travel = Travel(in: sample.folder, log: sample.log, usingIndex: false)
        _ = try travel.answer(.card(card), at: try travel.moment(.position(Position(540))))
        #expect(travel.scanned == 40, "40 events are read after the snapshot at 500")
    }

    @Test("The subject of a question is parsed from its words, and other words are no subject")
    func subjectsAreParsed() throws {
        let days = try #require(TravelSample.days())
        let (card, shop) = (CardID(5), ShopID(6))
        #expect(PastSubject(words: ["card", card.text], days: days) == .card(card))
        #expect(PastSubject(words: ["ratings"], days: days) == .ratings(nil))
        #expect(PastSubject(words: ["ratings", shop.text], days: days) == .ratings(shop))
        #expect(PastSubject(words: ["statistics", shop.text], days: days) == .statistics(shop, days))
        for words in [[], ["card"], ["card", shop.text], ["card", card.text, "x"], ["statistics"], ["person", card.text]] {
            #expect(PastSubject(words: words, days: days) == nil)
        }
    }
}
