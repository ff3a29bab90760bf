import Testing

@testable import EventLog

/// Tests `Timestamp.day`, the date that file names contain.
@Suite struct DayTests {
    @Test(
        "A time's day is the calendar's, also in leap years",
        arguments: [
            (0, "1970-01-01"), (86_399, "1970-01-01"), (86_400, "1970-01-02"), (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01"),
            (1_700_000_000, "2023-11-14"), (4_107_542_399, "2100-02-28"), (4_107_542_400, "2100-03-01"), (-1, "before-1970"),
        ])
    func aDayIsThatOfTheCalendar(_ seconds: Int64, _ day: String) {
        #expect(Timestamp(microseconds: seconds * 1_000_000).day == day)
    }
}
