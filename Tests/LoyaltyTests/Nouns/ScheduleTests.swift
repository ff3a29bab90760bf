import Loyalty
import Testing
import World

/// A shop's time zone and opening hours.
@Suite struct ScheduleTests {
    private static let weekdays = OpeningHours(days: 0b001_1111, fromMinute: 480, toMinute: 1_320)
    private static let weekend = OpeningHours(days: 0b110_0000, fromMinute: 600, toMinute: 120)
    private static let schedule = ShopSchedule(timeZone: "Asia/Tokyo", openingHours: [weekdays, weekend])

    @Test("A shop opens with its schedule, or in the default zone without opening hours")
    func opening() throws {
        let opened = Scenario.registered.when(Sample.open(schedule: Self.schedule), by: Sample.owner)
            .then(Sample.shopOpened(schedule: Self.schedule))
        #expect(opened.world.shops[Sample.shop]?.schedule == Self.schedule)
        let silent = try #require(Scenario.running.world.shops[Sample.shop]?.schedule)
        #expect(silent.timeZone == "Asia/Shanghai" && silent.openingHours == nil)
    }

    @Test("An edit changes the named part of the schedule, and its event repeats the rest")
    func editing() throws {
        let zoned = Scenario.running.when(Sample.edit(timeZone: "Asia/Tokyo"), by: Sample.owner)
            .then(Sample.shopEdited(schedule: ShopSchedule(timeZone: "Asia/Tokyo")))
        let hours = zoned.when(Sample.edit(openingHours: .set([Self.weekdays, Self.weekend])), by: Sample.owner)
            .then(Sample.shopEdited(schedule: Self.schedule))
        hours.when(Sample.edit(timeZone: "Asia/Tokyo", openingHours: .set([Self.weekdays, Self.weekend])), by: Sample.owner)
            .thenNothing()
        let renamed = hours.when(Sample.edit(name: "Tea"), by: Sample.owner).then(Sample.shopEdited(name: "Tea", schedule: Self.schedule))
        renamed.when(Sample.edit(openingHours: .removed), by: Sample.owner)
            .then(Sample.shopEdited(name: "Tea", schedule: ShopSchedule(timeZone: "Asia/Tokyo")))
        renamed.when(Sample.edit(openingHours: .set([])), by: Sample.owner)
            .then(Sample.shopEdited(name: "Tea", schedule: ShopSchedule(timeZone: "Asia/Tokyo", openingHours: [])))
    }

    @Test("Only the owner changes the schedule, and not that of a closed shop")
    func others() {
        Scenario.running.when(Sample.edit(timeZone: "Asia/Tokyo"), by: Sample.staff).thenRejected(.roleRequired)
        let closed = Scenario.running.given(Sample.closed(redeemUntil: Sample.afterDays(3), erasesContact: false))
        closed.when(Sample.edit(timeZone: "Asia/Tokyo"), by: Sample.owner).thenRejected(.shopClosed)
    }

    @Test(
        "Hours need days and two different times of a day",
        arguments: [
            OpeningHours(days: 0, fromMinute: 0, toMinute: 60), OpeningHours(days: 128, fromMinute: 0, toMinute: 60),
            OpeningHours(days: 1, fromMinute: -1, toMinute: 60), OpeningHours(days: 1, fromMinute: 1_440, toMinute: 60),
            OpeningHours(days: 1, fromMinute: 60, toMinute: 0), OpeningHours(days: 1, fromMinute: 60, toMinute: 1_441),
            OpeningHours(days: 1, fromMinute: 60, toMinute: 60),
        ])
    func impossible(_ hours: OpeningHours) {
        Scenario.running.when(Sample.edit(openingHours: .set([hours])), by: Sample.owner).thenInvalid("openingHours")
        let schedule = ShopSchedule(openingHours: [hours])
        Scenario.registered.when(Sample.open(schedule: schedule), by: Sample.owner).thenInvalid("openingHours")
    }

    @Test("Hours do not overlap, also over midnight and over the end of the week")
    func overlapping() {
        func edit(_ hours: OpeningHours...) -> Outcome {
            Scenario.running.when(Sample.edit(openingHours: .set(hours)), by: Sample.owner)
        }
        let (monday, tuesday, sunday) = (UInt8(1), UInt8(2), UInt8(64))
        edit(OpeningHours(days: monday, fromMinute: 0, toMinute: 600), OpeningHours(days: monday, fromMinute: 600, toMinute: 1_440))
            .thenAccepted()
        edit(OpeningHours(days: monday, fromMinute: 0, toMinute: 601), OpeningHours(days: monday, fromMinute: 600, toMinute: 1_440))
            .thenInvalid("openingHours")
        let night = OpeningHours(days: monday, fromMinute: 1_200, toMinute: 120)
        edit(night, OpeningHours(days: tuesday, fromMinute: 120, toMinute: 600)).thenAccepted()
        edit(night, OpeningHours(days: tuesday, fromMinute: 119, toMinute: 600)).thenInvalid("openingHours")
        let sundays = OpeningHours(days: sunday, fromMinute: 1_200, toMinute: 120)
        edit(sundays, OpeningHours(days: monday, fromMinute: 120, toMinute: 600)).thenAccepted()
        edit(sundays, OpeningHours(days: monday, fromMinute: 119, toMinute: 600)).thenInvalid("openingHours")
        edit(OpeningHours(days: 127, fromMinute: 0, toMinute: 1_440)).thenAccepted()
        edit(OpeningHours(days: 127, fromMinute: 600, toMinute: 599)).thenAccepted()
    }

    @Test("Opening hours have at most 21 entries, and the name of a zone at most 64 bytes")
    func bounds() {
        func hours(_ count: Int) -> [OpeningHours] {
            (0..<count).map { OpeningHours(days: 1 << UInt8($0 / 3 % 7), fromMinute: $0 % 3 * 100, toMinute: $0 % 3 * 100 + 60) }
        }
        Scenario.running.when(Sample.edit(openingHours: .set(hours(21))), by: Sample.owner).thenAccepted()
        Scenario.running.when(Sample.edit(openingHours: .set(hours(22))), by: Sample.owner).thenInvalid("openingHours")
        Scenario.running.when(Sample.edit(timeZone: ""), by: Sample.owner).thenInvalid("timeZone")
        Scenario.running.when(Sample.edit(timeZone: String(repeating: "Z", count: 65)), by: Sample.owner).thenInvalid("timeZone")
    }
}
