import Loyalty
import LoyaltyCodec
import Testing

@testable import WhatIf

/// Milestones under other rules, compared with figures counted by hand.
@Suite struct MilestoneRulesTests {
    private static let options = CampaignOptions(milestones: [Milestone(at: 2, reward: "A cookie"), Milestone(at: 4, reward: "A tea")])

    /// Creates a customer in a campaign with a goal of six. Both milestones were redeemed, the redemption of the second one was reversed,
    /// and the full card was redeemed.
    private static func visited() throws -> TeaHouse {
        var house = try TeaHouse(goal: 6, options: options)
        let guest = house.customer()
        house.visits(2, by: guest)
        try house.redeem(2, of: guest)
        house.visits(2, by: guest)
        let wrong = try house.redeem(4, of: guest)
        house.must(.reverseRedemption(ReverseRedemption(redemption: wrong, reason: "Wrong card")), by: house.owner)
        house.visits(2, by: guest)
        try house.redeem(guest)
        return house
    }

    @Test("Under the recorded rules the report equals history, and milestones are counted separately")
    func recorded() throws {
        let report = try Self.visited().whatIf("{}")
        #expect(report.isEmpty)
        #expect(report.change(\.milestones) == "1 → 1")
        #expect(report.change(\.redeemed) == "1 → 1")
    }

    @Test("If the rules remove milestones, none is requested, redeemed or reversed, and the card is redeemed as before")
    func removed() throws {
        let report = try Self.visited().whatIf(#"{"milestones": null}"#)
        #expect(report.change(\.milestones) == "1 → 0")
        #expect(report.change(\.redeemed) == "1 → 1")
        #expect(report.times(.request, .notReached) == 2 && report.times(.redeem, .notRequested) == 2)
        #expect(report.times(.reverse, .notRedeemed) == 1)
    }

    @Test("A request for a milestone that was moved is refused, and a request for a milestone that stays is not")
    func moved() throws {
        let report = try Self.visited().whatIf(#"{"milestones": [{"at": 2, "reward": "A cookie"}, {"at": 5, "reward": "A tea"}]}"#)
        #expect(report.change(\.milestones) == "1 → 1")
        #expect(report.times(.request, .notReached) == 1)
    }

    @Test("A lower goal removes the milestones beyond it")
    func lowerGoal() throws {
        let report = try Self.visited().whatIf(#"{"goal": 3}"#)
        #expect(report.change(\.filled) == "1 → 2")
        #expect(report.times(.request, .notReached) == 1, "the request for the second milestone is refused")
    }

    @Test("If rewards are handed out as soon as they are earned, those of new milestones are as well")
    func whenFull() throws {
        var house = try TeaHouse(goal: 4)
        let guest = house.customer()
        house.visits(4, by: guest)
        let report = try house.whatIf(#"{"milestones": [{"at": 1, "reward": "x"}, {"at": 3, "reward": "y"}], "redemption": "whenFull"}"#)
        #expect(report.change(\.milestones) == "0 → 2")
        #expect(report.change(\.redeemed) == "0 → 1")
        #expect(try house.whatIf(#"{"milestones": [{"at": 1, "reward": "x"}]}"#).change(\.milestones) == "0 → 0")
    }
}
