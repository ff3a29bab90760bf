import Audit
import Loyalty
import Testing

/// The clock that tells which moments are past for good. Times are in hours.
@Suite struct LogClockTests {
    private static let month: Int64 = 30 * 24

    private func at(_ hours: Int64) -> Instant { Instant(microseconds: 1_700_000_000_000_000).advanced(bySeconds: hours * 3_600) }

    private func earliest(after hours: [Int64]) -> Instant {
        var clock = LogClock()
        for hour in hours { clock.note(at(hour)) }
        return clock.earliest
    }

    private func hours(_ range: ClosedRange<Int64>) -> [Int64] { Array(range) }

    @Test("While events come every hour, the earliest time is one and a half to three days ago")
    func aRightClock() {
        for hour: Int64 in 36...200 {
            let time = earliest(after: hours(0...hour))
            #expect(time <= at(hour - 36) && time >= at(hour - 72), "after \(hour) hours")
        }
    }

    @Test("In the first day and a half of a log, no moment is past for good")
    func theBeginning() {
        #expect(LogClock().earliest < at(-1_000_000))
        #expect(earliest(after: hours(0...35)) < at(-1_000_000))
    }

    @Test("Events of a clock that is ahead do not move the earliest time for more than a day")
    func aClockThatIsAhead() {
        let before = hours(0...100)
        let time = earliest(after: before)
        #expect(earliest(after: before + [100 + Self.month]) == time)
        #expect(earliest(after: before + [100 + Self.month, 101]) == time)
        #expect(earliest(after: before + hours(100 + Self.month...124 + Self.month)) <= at(100))
        #expect(earliest(after: before + hours(100 + Self.month...200 + Self.month)) > at(100), "the clock stays ahead for days")
    }

    @Test("Events with times in the past hold the earliest time back")
    func importedEvents() {
        #expect(earliest(after: hours(0...100) + [-Self.month]) == at(-Self.month))
        let year = hours(-12 * Self.month...(-Self.month))
        #expect(earliest(after: hours(0...100) + year + [101]) <= at(-Self.month))
        let between = hours(0...100).flatMap { [$0, $0 - Self.month] }
        #expect(earliest(after: between) < at(0))
    }

    @Test("The least and the greatest time are taken")
    func extremeTimes() {
        var clock = LogClock()
        for time in [Int64.min, .max, .min, .max] { clock.note(Instant(microseconds: time)) }
        #expect(clock.earliest == Instant(microseconds: .min))
    }
}
