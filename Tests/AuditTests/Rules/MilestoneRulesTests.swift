import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about milestones. Each test breaks one rule in a history, and the rule book reports it.
extension OfficeRulesTests {
    private static let (rewarded, milestones) = (CampaignID(25), [Milestone(at: 2, reward: "A cookie"), Milestone(at: 4, reward: "A tea")])
    private static let begin = Instant(microseconds: 1_700_000_000_000_000)

    private func published(_ milestones: [Milestone] = milestones, goal: Int = 5, kind: CampaignKind = .stampCard) -> Step {
        Step(
            actor: Self.owner,
            event: .campaignPublished(
                .init(
                    campaign: Self.rewarded, shop: Self.shop, kind: kind,
                    terms: CampaignTerms(
                        title: "", details: "", goal: goal, reward: "", startsAt: Self.begin,
                        endsAt: Self.begin.advanced(bySeconds: 9_000_000), options: CampaignOptions(milestones: milestones)))))
    }

    /// A card that has gained `stamps` stamps from one code.
    private func collected(_ stamps: Int, terms: [Milestone] = milestones) -> [Step] {
        let opened = CardOpened(
            card: Self.card, campaign: Self.rewarded, shop: Self.shop, holder: Self.customer, goal: 5, reward: "",
            terms: CardTerms(expiresAt: nil, redeemUntil: nil, milestones: terms))
        return [published(), code(71, stamps), Step(actor: Self.customer, event: .cardOpened(opened)), given(71, stamps)]
    }

    private func code(_ number: UInt128, _ stamps: Int) -> Step {
        Step(
            actor: Self.owner,
            event: .codeIssued(
                .init(
                    code: .init(number), campaign: Self.rewarded, shop: Self.shop, secret: Secret(number), attempt: 0, stamps: stamps,
                    expiresAt: Self.begin.advanced(bySeconds: 1_000))))
    }

    private func given(_ number: UInt128, _ stamps: Int) -> Step {
        Step(
            actor: Self.customer,
            event: .cardStamped(
                .init(
                    card: Self.card, code: .init(number), campaign: Self.rewarded, shop: Self.shop, holder: Self.customer, stamps: stamps)),
            seconds: 0)
    }

    private func asked(_ milestone: Int, _ number: UInt128 = 81, by actor: AccountID = customer, after seconds: Int64 = 1) -> Step {
        Step(
            actor: actor,
            event: .milestoneRequested(
                .init(
                    redemption: .init(number), card: Self.card, campaign: Self.rewarded, shop: Self.shop, holder: Self.customer,
                    secret: Secret(number), milestone: milestone, attempt: 0, expiresAt: Self.begin.advanced(bySeconds: 60))),
            seconds: seconds)
    }

    private func handed(_ milestone: Int, _ number: UInt128 = 81, by actor: AccountID = owner, after seconds: Int64 = 1) -> Step {
        Step(
            actor: actor,
            event: .milestoneRedeemed(
                .init(
                    redemption: .init(number), card: Self.card, campaign: Self.rewarded, shop: Self.shop, holder: Self.customer,
                    milestone: milestone)), seconds: seconds)
    }

    private func back(_ milestone: Int, _ number: UInt128 = 81, by actor: AccountID = owner, after seconds: Int64 = 1) -> Step {
        Step(
            actor: actor,
            event: .milestoneReversed(
                .init(
                    redemption: .init(number), card: Self.card, campaign: Self.rewarded, shop: Self.shop, holder: Self.customer,
                    milestone: milestone, reason: "")), seconds: seconds)
    }

    private func taken(_ stamps: Int) -> Step {
        Step(
            actor: Self.owner,
            event: .stampReversed(
                .init(
                    card: Self.card, code: .init(71), campaign: Self.rewarded, shop: Self.shop, holder: Self.customer, stamps: stamps,
                    reason: "")))
    }

    @Test("A campaign's milestones ascend, lie below the goal, and are of stamp cards")
    func milestoneTerms() {
        #expect(findings([published()]) == [])
        #expect(
            findings([published([Milestone(at: 5, reward: "")])])
                == ["campaign \(Self.rewarded.text) has a milestone at 5 of 5"], "a milestone at the goal")
        #expect(
            findings([published([Milestone(at: 0, reward: "")])])
                == ["campaign \(Self.rewarded.text) has a milestone at 0 of 5"], "a milestone at 0 stamps")
        #expect(
            findings([published(Self.milestones.reversed())])
                == ["campaign \(Self.rewarded.text) has a milestone at 2 of 5"], "milestones in descending order")
        #expect(
            findings([published([Self.milestones[0], Self.milestones[0]])])
                == ["campaign \(Self.rewarded.text) has a milestone at 2 of 5"], "the same milestone twice")
        #expect(
            findings([published((1...11).map { Milestone(at: $0, reward: "") }, goal: 50)])
                == ["campaign \(Self.rewarded.text) has 11 milestones"], "too many milestones")
        #expect(!findings([published(goal: 0, kind: .coupon)]).isEmpty, "milestones of a coupon")
        #expect(!findings(collected(1, terms: [])).isEmpty, "a card without its campaign's milestones")
    }

    @Test("A milestone is redeemed once, by its own code, as soon as the card has its stamps")
    func milestoneRedeemed() {
        #expect(findings(collected(2) + [asked(2), handed(2)]) == [])
        #expect(findings(collected(5) + [asked(2), handed(2), asked(4, 82), handed(4, 82)]) == [])
        #expect(
            findings(collected(1) + [asked(2)])
                == ["card \(Self.card.text) had 1 stamps, and not the 2 of its milestone"], "a request one stamp early")
        #expect(findings(collected(5) + [asked(3)]) == ["card \(Self.card.text) has no milestone at 3"], "a request for no milestone")
        #expect(
            findings(collected(5) + [asked(2, by: Self.member)])
                == ["somebody else has asked to redeem a milestone of card \(Self.card.text)"], "a request by somebody else")
        #expect(!findings(collected(5) + [handed(2)]).isEmpty, "a reward that was never requested")
        #expect(
            findings(collected(5) + [asked(2), handed(2, by: Self.member)])
                == ["\(Self.member.text) does not work at shop \(Self.shop.text)"], "a reward handed out by a stranger")
        #expect(
            findings(collected(5) + [asked(2), handed(4)])
                == ["redemption \(RedemptionID(81).text) is of another card or milestone"], "a reward for another milestone's code")
        #expect(
            findings(collected(5) + [asked(2), handed(2, after: 90)])
                == ["redemption \(RedemptionID(81).text) had expired"], "a reward handed out too late")
        #expect(
            findings(collected(5) + [asked(2), handed(2), asked(2, 82)])
                == ["the milestone at 2 of card \(Self.card.text) was redeemed before"], "a redeemed milestone requested again")
        #expect(
            findings(collected(5) + [asked(2), asked(4, 82), handed(2)])
                == ["redemption \(RedemptionID(81).text) was never requested, or was over before"], "a code that a newer request replaced")
        let twice = findings(collected(5) + [asked(2), handed(2), handed(2)])
        #expect(twice.contains { $0.contains("redeemed before") }, "a milestone redeemed twice")
        let thrown = Step(
            actor: Self.customer,
            event: .cardDiscarded(.init(card: Self.card, campaign: Self.rewarded, shop: Self.shop, holder: Self.customer)))
        #expect(
            findings(collected(5) + [thrown, asked(2)])
                == ["card \(Self.card.text) was discarded, and had a milestone redeemed"], "a request for a discarded card")
        #expect(findings(collected(5) + [asked(2), handed(2), thrown, back(2)]) == [])
    }

    @Test("A milestone's reward is taken back once, within a day, by the shop")
    func milestoneReversed() {
        let done = collected(5) + [asked(2), handed(2)]
        #expect(findings(done + [back(2), asked(2, 82), handed(2, 82)]) == [])
        #expect(
            findings(done + [back(2), back(2)])
                == ["redemption \(RedemptionID(81).text) was never redeemed, or was reversed before"], "a reward reversed twice")
        #expect(findings(done + [back(2, by: Self.customer)]).count >= 1, "a reversal by the holder")
        #expect(
            findings(done + [back(4)])
                == ["redemption \(RedemptionID(81).text) is of another card or milestone"], "a reversal of another milestone")
        #expect(
            findings(done + [back(2, after: 86_400)])
                == ["redemption \(RedemptionID(81).text) was reversed too late"], "a reversal too late")
    }

    @Test("A card keeps the stamps of its redeemed milestones")
    func milestoneKept() {
        let done = collected(4) + [asked(4), handed(4)]
        #expect(findings(done + [taken(4)]) == ["card \(Self.card.text) was left with 0 stamps, fewer than a redeemed milestone has"])
        #expect(findings(done + [back(4), taken(4)]) == [])
        func adjusted(_ stamps: Int) -> Step {
            Step(
                actor: Self.member,
                event: .cardAdjusted(
                    .init(card: Self.card, campaign: Self.rewarded, shop: Self.shop, holder: Self.customer, stamps: stamps, reason: "")))
        }
        #expect(findings(done + [adjusted(-1)]) == ["card \(Self.card.text) was left with 3 stamps, fewer than a redeemed milestone has"])
        #expect(findings(collected(4) + [asked(2), handed(2), adjusted(-2)]) == [])
    }
}
