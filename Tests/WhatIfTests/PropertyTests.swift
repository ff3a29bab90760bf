import Histories
import Loyalty
import Seeds
import Testing

@testable import WhatIf

/// Properties that every history without corrections by operators has. With corrections the properties might not hold, because a re-run
/// refuses a correction that no longer fits, which can raise or lower the figures.
@Suite struct PropertyTests {
    /// Returns a random season of customers who return, redeem and discard cards.
    private func season(_ random: inout SeededRandom) throws -> TeaHouse {
        var house = try TeaHouse(goal: Int.random(in: 3...12, using: &random))
        let guests = (0..<6).map { _ in house.customer() }
        for _ in 0..<200 {
            house.wait(minutes: Int64.random(in: 1...600, using: &random))
            guard let guest = guests.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: if !house.cards(of: guest, .full).isEmpty { try house.redeem(guest) }
            case 1:
                let cards = house.cards(of: guest, .collecting) + house.cards(of: guest, .full)
                if let card = cards.randomElement(using: &random), Bool.random(using: &random) {
                    house.must(.discardCard(DiscardCard(card: card)), by: guest)
                }
            default: house.stamp(guest, worth: Bool.random(using: &random) ? 1 : Int.random(in: 1...4, using: &random))
            }
        }
        return house
    }

    @Test("A lower goal never fills fewer cards", arguments: 0..<3)
    func lowerGoal(_ round: Int) throws {
        var random = SeededRandom.announced("goals \(round)")
        let house = try season(&random)
        let filled = try (1...14).map { try house.whatIf(#"{"goal": \#($0)}"#).total.after.filled }
        #expect(filled == filled.sorted(by: >), "\(filled)")
        #expect(Set(filled).count > 3)
    }

    @Test("A daily cap or a minimum gap never adds stamps", arguments: 0..<3)
    func cappedStamps(_ round: Int) throws {
        var random = SeededRandom.announced("caps \(round)")
        let house = try season(&random)
        let recorded = try house.whatIf("{}").total.before.stamps
        let caps = try (1...6).map { try house.whatIf(#"{"stampsPerDayMax": \#($0)}"#).total.after.stamps }
        #expect(caps.allSatisfy { $0 <= recorded } && caps[0] < recorded, "\(recorded): \(caps)")
        for seconds in [1, 600, 7_200, 86_400] {
            #expect(try house.whatIf(#"{"minimumGapSeconds": \#(seconds)}"#).total.after.stamps <= recorded)
        }
    }

    @Test("Redemption when full redeems every full card and leaves the number of filled cards as it is")
    func everyFullCard() throws {
        var random = SeededRandom.announced("when full")
        let house = try season(&random)
        let report = try house.whatIf(#"{"goal": 3, "redemption": "whenFull"}"#)
        #expect(report.total.after.redeemed == report.total.after.filled)
        let asked = try house.whatIf(#"{"goal": 3}"#)
        #expect(asked.total.after.filled == report.total.after.filled && asked.total.after.redeemed <= report.total.after.redeemed)
    }
}
