import Loyalty
import Testing

/// Bonus hours: the minutes of the week that they cover, and overlaps between bonus hours of one campaign. Bonus hours may continue after
/// midnight and after the end of Sunday.
@Suite struct BonusHoursTests {
    private static let (monday, friday, sunday) = (Weekdays(rawValue: 1), Weekdays(rawValue: 1 << 4), Weekdays(rawValue: 1 << 6))

    private func hours(_ days: Weekdays, _ from: Int, _ to: Int, factor: Int = 2) -> BonusHours {
        BonusHours(days: days, fromMinute: from, toMinute: to, factor: factor)
    }

    private func publish(_ bonuses: [BonusHours]) -> Outcome {
        Scenario.running.when(Sample.publish(CampaignID(29), options: CampaignOptions(bonuses: bonuses)), by: Sample.owner)
    }

    @Test("Bonus hours include their first minute and not their end")
    func edges() {
        let morning = hours(Self.monday, 540, 600)
        #expect(!morning.contains(LocalTime(day: 0, minute: 539)))
        #expect(morning.contains(LocalTime(day: 0, minute: 540)))
        #expect(morning.contains(LocalTime(day: 0, minute: 599)))
        #expect(!morning.contains(LocalTime(day: 0, minute: 600)))
        #expect(!morning.contains(LocalTime(day: 1, minute: 550)))
        #expect(hours(.all, 0, 1_440).contains(LocalTime(day: 6, minute: 1_439)))
    }

    @Test("Bonus hours whose end is before their beginning end on the next day")
    func overnight() {
        let night = hours(Self.sunday, 1_320, 120)
        #expect(night.contains(LocalTime(day: 6, minute: 1_320)))
        #expect(night.contains(LocalTime(day: 0, minute: 119)), "hours that begin on Sunday continue on Monday")
        #expect(!night.contains(LocalTime(day: 0, minute: 120)))
        #expect(!night.contains(LocalTime(day: 0, minute: 1_330)), "the hours do not include the next evening")
        #expect(!night.contains(LocalTime(day: 6, minute: 60)), "the hours do not include the night before")
    }

    @Test("The factor is that of the hours that contain the time, and one outside of all hours")
    func noBonus() {
        let both = [hours(Self.monday, 0, 60, factor: 3), hours(Self.friday, 0, 60, factor: 5)]
        #expect(both.factor(at: LocalTime(day: 0, minute: 59)) == 3)
        #expect(both.factor(at: LocalTime(day: 4, minute: 0)) == 5)
        #expect(both.factor(at: LocalTime(day: 4, minute: 60)) == 1)
    }

    @Test("Bonus hours that overlap are rejected, also past midnight and from Sunday to Monday")
    func overlap() {
        publish([hours(Self.monday, 0, 60), hours(Self.monday, 60, 120)]).thenAccepted()
        publish([hours(Self.monday, 0, 61), hours(Self.monday, 60, 120)]).thenInvalid("bonuses")
        publish([hours(.all, 1_380, 60), hours(Self.friday, 30, 90)]).thenInvalid("bonuses")
        publish([hours(Self.sunday, 1_380, 60), hours(Self.monday, 59, 90)]).thenInvalid("bonuses")
        publish([hours(Self.sunday, 1_380, 60), hours(Self.monday, 60, 90)]).thenAccepted()
        publish([hours(.all, 0, 1_440)]).thenAccepted()
    }

    @Test("Bonus hours need days, valid times and a factor of two to five, and a campaign has at most 21 of them")
    func bounds() {
        publish([hours([], 0, 60)]).thenInvalid("bonuses")
        publish([hours(Weekdays(rawValue: 0x80), 0, 60)]).thenInvalid("bonuses")
        for (from, to) in [(-1, 60), (1_440, 60), (60, 60), (0, 0), (0, 1_441)] {
            publish([hours(Self.monday, from, to)]).thenInvalid("bonuses")
        }
        for factor in [0, 1, 6] { publish([hours(Self.monday, 0, 60, factor: factor)]).thenInvalid("bonuses") }
        let many = (0..<22).map { hours(Weekdays(rawValue: 1 << UInt8($0 % 7)), $0 * 10, $0 * 10 + 10) }
        publish(many).thenInvalid("bonuses")
        publish(Array(many.prefix(21))).thenAccepted()
    }
}
