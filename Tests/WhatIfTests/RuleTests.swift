import Audit
import Loyalty
import LoyaltyCodec
import Testing

@testable import WhatIf

/// Each rule alone on a history written by hand, compared with figures counted by hand.
@Suite struct RuleTests {
    @Test("Under a lower goal a card is full earlier, and later stamps fill the next card")
    func lowerGoal() throws {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        house.visits(16, by: guest)
        let report = try house.whatIf(#"{"goal": 8}"#)
        #expect(report.change(\.stamps) == "16 → 16")
        #expect(report.change(\.opened) == "2 → 2")
        #expect(report.change(\.filled) == "1 → 2")
        #expect(report.accounts.changes.map(\.filled) == [1])
        #expect(report.accounts.gaining == 1)
        #expect(report.refused.isEmpty)
    }

    @Test("Under a higher goal a recorded redemption is refused if its card is not full")
    func higherGoal() throws {
        var house = try TeaHouse(goal: 3)
        let guest = house.customer()
        house.visits(3, by: guest)
        try house.redeem(guest)
        let report = try house.whatIf(#"{"goal": 4}"#)
        #expect(report.change(\.filled) == "1 → 0")
        #expect(report.change(\.redeemed) == "1 → 0")
        #expect(report.times(.request, .notFull) == 1)
        #expect(report.times(.redeem, .notRequested) == 1)
        #expect(report.accounts.losing == 1)
    }

    @Test("A daily cap refuses the stamps beyond it within 24 hours")
    func dailyCap() throws {
        var house = try TeaHouse()
        let guest = house.customer()
        for _ in 0..<3 {
            house.stamp(guest)
            house.wait(hours: 1)
        }
        house.wait(hours: 24)
        for _ in 0..<2 { house.stamp(guest) }
        let report = try house.whatIf(#"{"stampsPerDayMax": 2}"#)
        #expect(report.change(\.stamps) == "5 → 4")
        #expect(report.times(.stamp, .tooOften) == 1)
        #expect(report.refusals == 1)
    }

    @Test("A limit of cards per account refuses every stamp after the last card is full")
    func cardLimit() throws {
        var house = try TeaHouse(goal: 2)
        let (guest, other) = (house.customer(), house.customer())
        house.visits(5, by: guest)
        house.visits(2, by: other)
        let report = try house.whatIf(#"{"repeats": 1}"#)
        #expect(report.change(\.stamps) == "7 → 4")
        #expect(report.change(\.filled) == "3 → 2")
        #expect(report.times(.stamp, .limitReached) == 3)
        #expect(report.refusals == 3)
        #expect(try house.whatIf(#"{"repeats": null, "welcomeStamps": null}"#).isEmpty)
    }

    @Test("Each account gets the welcome stamps once")
    func welcome() throws {
        var house = try TeaHouse(goal: 3)
        let (guest, other) = (house.customer(), house.customer())
        house.visits(2, by: guest)
        house.visits(1, by: other)
        let report = try house.whatIf(#"{"welcomeStamps": 1}"#)
        #expect(report.change(\.stamps) == "3 → 5")
        #expect(report.change(\.filled) == "0 → 1")
        #expect(report.refused.isEmpty)
    }

    @Test("A minimum gap refuses a stamp that comes too soon after the account's last accepted stamp")
    func minimumGap() throws {
        var house = try TeaHouse()
        let guest = house.customer()
        for minutes: Int64 in [10, 40, 70, 0] {
            house.stamp(guest)
            house.wait(minutes: minutes)
        }
        // The visits are at 0, 10, 50 and 120 minutes. The second and third come within an hour of the first.
        let report = try house.whatIf(#"{"minimumGapSeconds": 3600}"#)
        #expect(report.change(\.stamps) == "4 → 2")
        #expect(report.times(.stamp, .tooOften) == 2)
    }

    @Test("Stamps from before a clock was ahead for a moment count for a cap after its correction")
    func clockThatWasAhead() throws {
        var house = try TeaHouse()
        let guest = house.customer()
        for days: Int64 in [30, -30, 0] {
            house.stamp(guest)
            house.wait(days: days)
            house.wait(minutes: 1)
        }
        let report = try house.whatIf(#"{"stampsPerDayMax": 1}"#)
        #expect(report.change(\.stamps) == "3 → 2")
        #expect(report.times(.stamp, .tooOften) == 1)
    }

    @Test("A code that is entered after the changed time of validity is refused and counted")
    func lateCode() throws {
        var house = try TeaHouse()
        let guest = house.customer()
        let codes = (0..<3).map { _ in house.issue(validFor: 86_400) }
        house.wait(minutes: 30)
        house.enter(codes[0], by: guest)
        house.wait(minutes: 30)
        house.enter(codes[1], by: guest)
        house.wait(hours: 2)
        house.enter(codes[2], by: guest)
        let report = try house.whatIf(#"{"codeValidSeconds": 3600}"#)
        #expect(report.change(\.stamps) == "3 → 1", "a code that is valid for an hour has expired an hour after its issue")
        #expect(report.times(.stamp, .codeExpired) == 2)
        #expect(report.refusals == 2)
    }

    @Test("A code's weekday is that of its issue in the rules' time zone or, where they name one, the shop's own")
    func weekdayZone() throws {
        var house = try TeaHouse(start: "2026-01-05T09:00:00Z")
        let guest = house.customer()
        house.stamp(guest)
        house.wait(minutes: 14 * 60 + 30)
        house.stamp(guest)
        house.wait(hours: 9)
        house.stamp(guest)
        #expect(try house.whatIf(#"{"weekdays": {"monday": 2}}"#).change(\.stamps) == "3 → 5")
        // In Shanghai it was already Tuesday when the second code was issued.
        #expect(try house.whatIf(#"{"weekdays": {"monday": 2}, "timeZone": "Asia/Shanghai"}"#).change(\.stamps) == "3 → 4")
        let ofShop = #"{"weekdays": {"monday": 2}, "shopTimeZones": {"\#(house.shop.text)": "Asia/Shanghai"}}"#
        #expect(try house.whatIf(ofShop).change(\.stamps) == "3 → 4")
        #expect(try house.whatIf(#"{"weekdays": {"sunday": 2}}"#).isEmpty)
    }

    /// A guest's codes of a Monday: worth 1 at 17:00, 2 at 18:00 and 1 at 19:00 in Shanghai, where the shop is.
    private static func evening() throws -> TeaHouse {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        for worth in [1, 2, 1] {
            house.stamp(guest, worth: worth)
            house.wait(hours: 1)
        }
        return house
    }

    private static func bonus(_ day: String = "monday", from: String, to: String, factor: Int) -> String {
        #""bonuses": [{"days": ["\#(day)"], "from": "\#(from)", "to": "\#(to)", "factor": \#(factor)}]"#
    }

    @Test("Bonus hours multiply the stamps of codes that are issued from their first minute to before their last")
    func bonusHours() throws {
        let house = try Self.evening()
        let first = try house.whatIf("{\(Self.bonus(from: "17:00", to: "18:00", factor: 3))}")
        #expect(first.change(\.stamps) == "4 → 6")
        let second = try house.whatIf("{\(Self.bonus(from: "17:01", to: "19:00", factor: 3))}")
        #expect(second.change(\.stamps) == "4 → 8")
        let all = try house.whatIf("{\(Self.bonus(from: "17:00", to: "20:00", factor: 5))}")
        #expect(all.change(\.stamps) == "4 → 20")
        #expect(all.change(\.filled) == "0 → 2")
    }

    @Test("Bonus hours are on the shop's local days and hours, here eight hours ahead of UTC")
    func localBonusHours() throws {
        let house = try Self.evening()
        #expect(try house.whatIf("{\(Self.bonus("sunday", from: "17:00", to: "20:00", factor: 5))}").isEmpty)
        #expect(try house.whatIf("{\(Self.bonus(from: "09:00", to: "12:00", factor: 5))}").isEmpty, "these are the hours in UTC")
    }

    @Test("Bonus hours multiply the worth that the rules give to a code")
    func bonusHoursOfCodeWorth() throws {
        let report = try Self.evening().whatIf("{\"codeWorth\": 3, \(Self.bonus(from: "17:00", to: "18:00", factor: 2))}")
        // Six stamps for the first code, and three for each of the others.
        #expect(report.change(\.stamps) == "4 → 12")
    }

    @Test("Rules can remove recorded bonus hours, and with them the stamps that they gave")
    func noBonuses() throws {
        #expect(try Self.evening().whatIf(#"{"bonuses": null}"#).isEmpty, "no bonus hours were recorded")
        var house = try TeaHouse(goal: 10)
        let hours = BonusHours(days: .all, fromMinute: 0, toMinute: 1_440, factor: 2)
        let campaign = house.publish(goal: 4, options: CampaignOptions(bonuses: [hours]))
        let guest = house.customer()
        for _ in 0..<3 { house.stamp(guest, of: campaign) }
        let report = try house.whatIf(#"{"bonuses": null}"#)
        #expect(report.change(\.stamps) == "6 → 3")
        #expect(report.change(\.filled) == "1 → 0")
    }

    @Test("A code is worth the stamps of the rules, times the weekday's factor, and at most ten")
    func codeWorth() throws {
        var house = try TeaHouse()
        let guest = house.customer()
        house.stamp(guest)
        house.wait(days: 1)
        house.stamp(guest, worth: 5)
        #expect(try house.whatIf(#"{"codeWorth": 3}"#).change(\.stamps) == "6 → 6")
        #expect(try house.whatIf(#"{"codeWorth": 1}"#).change(\.stamps) == "6 → 2")
        let most = try house.whatIf(#"{"codeWorth": 3, "weekdays": {"monday": 10, "tuesday": 3}}"#)
        #expect(most.change(\.stamps) == "6 → 19")
        #expect(most.change(\.filled) == "0 → 1")
        #expect(most.change(\.opened) == "1 → 2")
    }

    @Test("Rules that name campaigns or shops apply only to these, and naming an unknown campaign is an error")
    func namedOnly() throws {
        var house = try TeaHouse(goal: 10)
        let other = house.publish(goal: 10)
        let guest = house.customer()
        house.visits(5, by: guest)
        house.visits(5, by: guest, of: other)
        #expect(try house.whatIf(#"{"goal": 5}"#).change(\.filled) == "0 → 2")
        #expect(try house.whatIf(#"{"goal": 5, "campaigns": ["\#(other.text)"]}"#).change(\.filled) == "0 → 1")
        #expect(try house.whatIf(#"{"goal": 5, "shops": ["\#(house.shop.text)"]}"#).change(\.filled) == "0 → 2")
        #expect(throws: AuditError.self) { try house.whatIf(#"{"goal": 5, "campaigns": ["\#(CampaignID(1).text)"]}"#) }
    }

    @Test("A code worth more stamps than the daily cap is not issued, and its entry is refused")
    func aboveCap() throws {
        var house = try TeaHouse()
        let guest = house.customer()
        house.stamp(guest, worth: 3)
        let report = try house.whatIf(#"{"stampsPerDayMax": 2}"#)
        #expect(report.change(\.stamps) == "3 → 0")
        #expect(report.change(\.opened) == "1 → 0")
        #expect(report.times(.issue, .aboveCap) == 1)
        #expect(report.times(.stamp, .codeNotIssued) == 1)
    }

    @Test("Rules can lift a recorded daily cap, so that codes worth more stamps are issued")
    func liftedCap() throws {
        var house = try TeaHouse(caps: StampCaps(stampsPerDayMax: 1, minimumGapSeconds: nil))
        let guest = house.customer()
        house.visits(3, by: guest)
        #expect(try house.whatIf(#"{"stampsPerDayMax": null}"#).isEmpty)
        // The recorded cap is one stamp a day. So no code worth two stamps can be issued.
        #expect(try house.whatIf(#"{"codeWorth": 2}"#).change(\.stamps) == "3 → 0")
        #expect(try house.whatIf(#"{"codeWorth": 2, "stampsPerDayMax": null}"#).change(\.stamps) == "3 → 6")
    }

    @Test("Rules and report begin and end at the given moments, and a card opened before keeps its goal")
    func givenMoments() throws {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        house.visits(20, by: guest)
        // The first card was opened before the rules begin and keeps its goal of ten. Later cards have a goal of five.
        let late = try house.whatIf(#"{"goal": 5}"#, from: "2026-01-10")
        #expect(late.change(\.filled) == "2 → 3")
        #expect(late.change(\.stamps) == "15 → 15", "only events from the given day on are reported")
        let short = try house.whatIf(#"{"goal": 5}"#, to: "2026-01-10T09:00:00Z")
        #expect(short.change(\.stamps) == "6 → 6")
        #expect(short.change(\.filled) == "0 → 1")
        #expect(try house.whatIf(#"{"goal": 5}"#, to: "5").change(\.stamps) == "0 → 0")
    }
}
