import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about a campaign's terms.
extension OfficeRulesTests {
    func campaign(_ options: CampaignOptions, goal: Int = 2) -> Step {
        Step(
            actor: Self.owner,
            event: .campaignEdited(
                .init(
                    campaign: Self.campaign, shop: Self.shop,
                    terms: CampaignTerms(
                        title: "with terms", details: "", goal: goal, reward: "", startsAt: Instant(microseconds: 1_700_000_000_000_000),
                        endsAt: Self.end, options: options))))
    }

    private static let end = Instant(microseconds: 1_700_000_000_000_000).advanced(bySeconds: 9_000_000)

    private func stamped(_ number: UInt128, on card: CardID = card, stamps: Int, worth: Int) -> Step {
        Step(
            actor: Self.customer,
            event: .cardStamped(
                .init(
                    card: card, code: .init(number), campaign: Self.campaign, shop: Self.shop, holder: Self.customer, stamps: stamps,
                    worth: worth)), seconds: 0)
    }

    private func opened(_ card: CardID = card, goal: Int = 2, terms: CardTerms) -> Step {
        Step(
            actor: Self.customer,
            event: .cardOpened(
                .init(
                    card: card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, goal: goal, reward: "", terms: terms)))
    }

    @Test("An account gets the campaign's welcome stamps once, and again only after their reversal")
    func welcomeOnce() {
        let welcoming = [campaign(CampaignOptions(welcomeStamps: 1), goal: 5), issued(1), issued(2), opened(goal: 5)]
        let welcomed = welcoming + [stamped(1, stamps: 2, worth: 1)]
        #expect(findings(welcomed + [stamped(2, stamps: 1, worth: 1)]) == [])
        #expect(!findings(welcomed + [stamped(2, stamps: 2, worth: 1)]).isEmpty, "a welcome given twice")
        #expect(!findings(welcoming + [stamped(1, stamps: 3, worth: 1)]).isEmpty, "more stamps than the welcome adds")
        #expect(!findings([issued(1), opened(), stamped(1, stamps: 2, worth: 1)]).isEmpty, "welcome stamps without a welcome")
        #expect(findings(welcomed + [tookBack(1, stamps: 2), stamped(2, stamps: 2, worth: 1)]) == [], "a welcome again after its reversal")
        #expect(!findings(welcomed + [tookBack(1, stamps: 3)]).isEmpty, "more stamps reversed than the code gave")
    }

    @Test("A code is used for exactly its worth, and none of its stamps is left at the log's end")
    func aCodeIsUsedUpExactly() {
        let welcoming = [campaign(CampaignOptions(welcomeStamps: 1), goal: 5), issued(1, stamps: 2), opened(goal: 5)]
        #expect(findings(welcoming + [stamped(1, stamps: 3, worth: 2)], ends: true) == [])
        #expect(!findings(welcoming + [stamped(1, stamps: 3, worth: 1)], ends: true).isEmpty, "a code with a stamp left at the log's end")
        #expect(!findings(welcoming + [stamped(1, stamps: 3, worth: 3)]).isEmpty, "a code used for more than its worth")
    }

    @Test("Stamps lapse only beyond a limit of cards, and no card is opened beyond that limit")
    func lapsedStamps() {
        let limited = [campaign(CampaignOptions(repeats: 1)), issued(1, stamps: 3), issued(2, stamps: 2), opened()]
        let full = limited + [stamped(1, stamps: 2, worth: 3)]
        #expect(findings(full, ends: true) == [])
        #expect(!findings([issued(1, stamps: 3), opened(), stamped(1, stamps: 2, worth: 3)]).isEmpty, "lapsed stamps without a card limit")
        let next = CardID(41)
        #expect(!findings(full + [opened(next), stamped(2, on: next, stamps: 2)]).isEmpty, "a card beyond the limit")
        #expect(findings(full + [tookBack(1, stamps: 2), stamped(2, stamps: 2)]) == [], "a card within the limit after a reversal")
        #expect(findings(full + [adjusted(-1), issued(3), stamped(3)]) == [], "a card for which an operator made room")
    }

    @Test("No stamp lapses while its card has room, neither of a code's worth nor of its multiple")
    func lapsedBesideRoom() {
        let limited = [campaign(CampaignOptions(repeats: 1), goal: 5), issued(1, stamps: 3), opened(goal: 5)]
        #expect(findings(limited + [stamped(1, stamps: 3, worth: 3)], ends: true) == [])
        #expect(!findings(limited + [stamped(1, stamps: 2, worth: 3)]).isEmpty)
        let hours = [BonusHours(days: .all, fromMinute: 0, toMinute: 1_440, factor: 3)]
        let tripled = [campaign(CampaignOptions(repeats: 1, bonuses: hours), goal: 5), issued(1), opened(goal: 5)]
        #expect(findings(tripled + [stamped(1, stamps: 3, worth: 1)], ends: true) == [])
        #expect(!findings(tripled + [stamped(1, stamps: 2, worth: 1)]).isEmpty)
    }

    @Test("A card opens with exactly the dates that its campaign gives it")
    func openingTerms() {
        let until = Self.end.advanced(bySeconds: 100)
        let dated = [campaign(CampaignOptions(redeemUntil: until)), issued(1)]
        #expect(findings(dated + [opened(terms: CardTerms(expiresAt: nil, redeemUntil: until)), stamped(1)]) == [])
        #expect(!findings(dated + [opened(), stamped(1)]).isEmpty)
        #expect(!findings([issued(1), opened(terms: CardTerms(expiresAt: until, redeemUntil: nil)), stamped(1)]).isEmpty)
    }

    /// Adds bonus hours. The codes of these tests are issued on a Wednesday at 06:13 in Shanghai, which is a Tuesday at 23:13 in Berlin.
    private func bonus(_ days: UInt8, _ from: Int, _ to: Int) -> Step {
        campaign(CampaignOptions(bonuses: [BonusHours(days: Weekdays(rawValue: days), fromMinute: from, toMinute: to, factor: 3)]), goal: 5)
    }

    private func moved(to zone: String) -> Step {
        Step(
            actor: Self.owner,
            event: .shopEdited(
                ShopEdited(shop: Self.shop, contact: .sealed(Sealed([1])), images: [], schedule: ShopSchedule(timeZone: zone))))
    }

    @Test("A code issued in bonus hours gives exactly their multiple, and any other code just its worth")
    func exactMultiple() {
        let within = [bonus(1 << 2, 373, 374), issued(1), opened(goal: 5)]
        #expect(findings(within + [stamped(1, stamps: 3, worth: 1)], ends: true) == [])
        #expect(!findings(within + [stamped(1, stamps: 4, worth: 1)]).isEmpty, "more stamps than the multiple")
        #expect(!findings(within + [stamped(1, stamps: 2, worth: 1)]).isEmpty, "fewer stamps than the multiple")
        #expect(!findings(within + [stamped(1)]).isEmpty, "a stamp without the multiple")
        for other in [bonus(1 << 2, 374, 373), bonus(1 << 2, 372, 373), bonus(1 << 1, 373, 374)] {
            let outside = [other, issued(1), opened(goal: 5)]
            #expect(findings(outside + [stamped(1)], ends: true) == [])
            #expect(!findings(outside + [stamped(1, stamps: 3, worth: 1)]).isEmpty)
        }
        let night = [bonus(1 << 1, 1_320, 374), issued(1), opened(goal: 5)]
        #expect(findings(night + [stamped(1, stamps: 3, worth: 1)]) == [], "bonus hours that began the evening before")
    }

    @Test("Bonus hours are those of the time zone that the shop has when the code is entered")
    func shopsClock() {
        let inBerlin = [moved(to: "Europe/Berlin"), bonus(1 << 1, 1_393, 1_394), issued(1), opened(goal: 5)]
        #expect(findings(inBerlin + [stamped(1, stamps: 3, worth: 1)]) == [])
        let inShanghai = [moved(to: "Europe/Berlin"), bonus(1 << 2, 373, 374), issued(1), opened(goal: 5)]
        #expect(findings(inShanghai + [stamped(1)]) == [])
        #expect(findings(inShanghai.dropLast() + [moved(to: "Asia/Shanghai"), opened(goal: 5), stamped(1, stamps: 3, worth: 1)]) == [])
    }

    @Test("A part of a code's multiple may lapse on the last card of a limit")
    func lapsedMultiple() {
        let hours = [BonusHours(days: .all, fromMinute: 0, toMinute: 1_440, factor: 3)]
        let limited = [campaign(CampaignOptions(repeats: 1, bonuses: hours), goal: 2), issued(1), opened()]
        #expect(findings(limited + [stamped(1, stamps: 2, worth: 1)]) == [])
    }

    @Test("A campaign's option that a shop may not set is a finding")
    func allowedOptions() {
        for options in [
            CampaignOptions(repeats: 0), CampaignOptions(welcomeStamps: 2), CampaignOptions(cardValidDays: 0),
            CampaignOptions(redeemUntil: Self.end.advanced(bySeconds: -1)),
            CampaignOptions(bonuses: [BonusHours(days: .all, fromMinute: 0, toMinute: 1, factor: 6)]),
        ] {
            #expect(!findings([campaign(options)]).isEmpty, "\(options)")
        }
        #expect(findings([campaign(CampaignOptions(repeats: 1, welcomeStamps: 1, redeemUntil: Self.end))]) == [])
    }
}
