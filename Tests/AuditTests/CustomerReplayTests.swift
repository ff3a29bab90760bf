import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Audit
@testable import Projections
@testable import ReadModels

/// The stored model of customers equals its replay.
@Suite struct CustomerReplayTests {
    @Test("Model and replay of customers have the same rows after random histories of a year, whatever the batches", arguments: 0..<6)
    func sameRows(_ round: Int) throws {
        let random = SeededRandom(seed: SeededRandom.announced("customer replay \(round)").seed &+ UInt64(round))
        var history = RandomHistory(random: random, ages: round >= 2, milestones: round == 3, joins: round % 2 == 1)
        history.grow(to: 1_500)
        let stretched = history.facts.stretched(over: 365)
        let facts = round < 4 ? stretched : stretched.sold(random: random)
        let data = try TestData.with(facts[...])
        let log = try data.log()
        for changes in [1, 60, 100_000] {
            var options = UpdateOptions.building
            options.changesPerBatch = changes
            try AuditSample.build(Customers.self, data, log, options)
            let verdict = try Comparison(models: data.models, log: log).verdict(of: Customers.self)
            guard case .equal(_, let rows) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
            #expect(rows > 500)
        }
        #expect(history.facts.contains { if case .stampReversed = $0.event { true } else { false } })
    }

    /// A day on which an account takes a waiting card over, an erasure, and a reversal of a code of two days.
    @Test("Model and replay agree about waiting cards, sold shops, erased customers, changed zones and codes that stamped twice")
    func rareEvents() throws {
        var facts: [Fact] = []
        func tell(_ event: LoyaltyEvent, _ day: Int64) {
            let time = Instant(microseconds: (19_786 + day) * 86_400_000_000)
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: AccountID(10), event: event))
        }
        let (campaign, shop, branch) = (CampaignID(5), ShopID(1), ShopID(2))
        func open(_ card: UInt128, of holder: UInt128, _ day: Int64) {
            tell(
                .cardOpened(
                    CardOpened(card: CardID(card), campaign: campaign, shop: shop, holder: AccountID(holder), goal: 5, reward: "tea")), day)
        }
        func stamp(_ card: UInt128, of holder: UInt128, code: UInt128, at place: ShopID = shop, _ day: Int64) {
            tell(
                .cardStamped(
                    CardStamped(
                        card: CardID(card), code: CodeID(code), campaign: campaign, shop: place, home: place == shop ? nil : shop,
                        holder: AccountID(holder), stamps: 2)), day)
        }
        func takeBack(_ card: UInt128, of holder: UInt128, code: UInt128, _ day: Int64) {
            tell(
                .stampReversed(
                    StampReversed(
                        card: CardID(card), code: CodeID(code), campaign: campaign, shop: shop, holder: AccountID(holder), stamps: 3,
                        reason: "")), day)
        }
        func zone(_ name: String, of shop: ShopID, _ day: Int64) {
            let contact = ShopContact(
                name: "Tea", phone: "+8613800138000", address: "", location: Coordinate(latitude: 31.2, longitude: 121.5))
            let schedule = ShopSchedule(timeZone: name)
            tell(.shopOpened(ShopOpened(shop: shop, owner: AccountID(10), contact: .clear(contact), schedule: schedule)), day)
        }
        func sell(_ shop: ShopID, _ day: Int64) {
            tell(
                .shopTransferred(
                    ShopTransferred(invitation: InvitationID(1), shop: shop, account: AccountID(11), formerOwner: AccountID(10))), day)
        }
        zone("Europe/Berlin", of: shop, 0)
        zone("Europe/Berlin", of: branch, 0)
        for holder in 1...3 as ClosedRange<UInt128> { open(holder, of: holder, 0) }
        for day in [0, 3, 9] as [Int64] { stamp(1, of: 1, code: 70, day) }
        stamp(2, of: 2, code: 80, 1)
        stamp(2, of: 2, code: 81, at: branch, 2)
        zone("Asia/Shanghai", of: shop, 9)
        stamp(3, of: 3, code: 90, 9)
        stamp(3, of: 3, code: 91, at: branch, 9)
        sell(branch, 9)
        stamp(3, of: 3, code: 92, at: branch, 10)
        takeBack(1, of: 1, code: 70, 10)
        tell(
            .waitingCardTaken(
                WaitingCardTaken(
                    card: CardID(2), campaign: campaign, shop: shop, holder: AccountID(3), from: AccountID(2), goal: 5, stamps: 4, moved: 0,
                    onto: nil, codes: 2, worth: 0)), 11)
        takeBack(2, of: 3, code: 80, 12)
        tell(.accountErased(AccountErased(account: AccountID(1))), 13)
        for count in (facts.count - 8)...facts.count {
            let data = try TestData.with(facts.prefix(count))
            let log = try data.log()
            try AuditSample.build(Customers.self, data, log)
            let verdict = try Comparison(models: data.models, log: log).verdict(of: Customers.self)
            guard case .equal(_, let rows) = verdict, rows > 0 else {
                Issue.record("after \(count) events: \(verdict)")
                continue
            }
        }
    }
}
