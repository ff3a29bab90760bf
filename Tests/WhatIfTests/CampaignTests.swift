import Audit
import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

@testable import WhatIf

/// Compares two re-runs of a campaign: one reads only the events of the campaign, and the other reads the whole log.
@Suite struct CampaignTests {
    private static let rules = [
        "{}", #"{"goal": 3}"#, #"{"goal": 20}"#, #"{"stampsPerDayMax": 1}"#, #"{"welcomeStamps": 2, "repeats": 1}"#,
        #"{"bonuses": [{"days": ["monday", "sunday"], "from": "08:00", "to": "20:00", "factor": 2}]}"#,
    ]

    /// Creates two campaigns of one shop. Customers collect in both, and redeem and discard cards.
    private func town(_ random: inout SeededRandom) throws -> (TeaHouse, [CampaignID]) {
        var house = try TeaHouse(goal: 5)
        let campaigns = [house.campaign, house.publish(goal: 4)]
        let guests = (0..<5).map { _ in house.customer() }
        for _ in 0..<250 {
            house.wait(minutes: Int64.random(in: 1...500, using: &random))
            guard let guest = guests.randomElement(using: &random), let campaign = campaigns.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: if !house.cards(of: guest, .full).isEmpty { try house.redeem(guest) }
            case 1: if let card = house.cards(of: guest, .collecting).first { house.must(.discardCard(DiscardCard(card: card)), by: guest) }
            default: house.stamp(guest, worth: Int.random(in: 1...3, using: &random), of: campaign)
            }
        }
        return (house, campaigns)
    }

    private func ask(
        _ rules: String, of campaign: CampaignID, in house: TeaHouse, eventsMax: Int = .max - 1,
        progress: (Int, Int) -> Bool = { _, _ in true }
    ) throws -> CampaignWhatIf.Outcome {
        let question = CampaignWhatIf(try ProgrammeRules(json: Array(rules.utf8)), of: campaign, at: [house.shop])
        return try question.run(on: try TestData.with(house.facts).log(.readOnly), eventsMax: eventsMax, progress: progress)
    }

    @Test("A re-run of a campaign's events alone reports the same as a re-run of the whole log", arguments: 0..<2)
    func asWholeLog(_ round: Int) throws {
        var random = SeededRandom.announced("campaign \(round)")
        let (house, campaigns) = try town(&random)
        for campaign in campaigns {
            for rules in Self.rules {
                guard case .report(let report) = try ask(rules, of: campaign, in: house) else {
                    Issue.record("no report: \(rules)")
                    continue
                }
                #expect(report.check.different == 0 && report.check.equal > 50, "\(report.check)")
                let separator = rules == "{}" ? "" : ", "
                let whole = try house.whatIf(rules.dropLast() + separator + #""campaigns": ["\#(campaign.text)"]}"#)
                #expect(report.total.difference == whole.total.difference && report.refused == whole.refused, "\(rules)")
                #expect(report.accounts.changes == whole.accounts.changes)
            }
        }
    }

    @Test("A re-run stops when its progress callback returns false")
    func itStopsWhenItIsTold() throws {
        var random = SeededRandom.announced("campaign stopped")
        let (house, campaigns) = try town(&random)
        var calls = 0
        let outcome = try ask("{}", of: campaigns[0], in: house) { done, total in
            calls += 1
            return total == 0 || done == 0
        }
        guard case .stopped = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(calls >= 3)
    }

    @Test("A campaign with more events than the bound is not re-run")
    func beyondBound() throws {
        var house = try TeaHouse()
        let guest = house.customer()
        house.visits(10, by: guest)
        var decided = 0
        // There are 23 events: the shop, the campaign and the card make three, and each of the ten visits adds a code and a stamp.
        for (bound, isRun) in [(23, true), (22, false), (0, false)] {
            let outcome = try ask("{}", of: house.campaign, in: house, eventsMax: bound) { done, _ in
                decided += done
                return true
            }
            if case .tooLong = outcome { #expect(!isRun) } else { #expect(isRun, "\(bound): \(outcome)") }
        }
        #expect(decided == 23)
    }
}
