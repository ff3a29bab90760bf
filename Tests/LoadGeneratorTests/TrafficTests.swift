import Testing

@testable import LoadGenerator

@Suite("Traffic")
struct TrafficTests {
    @Test("The peak hour has five times the day's mean, and a weekend day twice a Monday's traffic")
    func curve() {
        #expect(abs(TrafficCurve.hours.reduce(0, +) - 24) < 1e-9)
        #expect(TrafficCurve.hours.max() == 5)
        #expect(abs(TrafficCurve.days.reduce(0, +) - 7) < 1e-9)
        #expect(abs(TrafficCurve.days[5] / TrafficCurve.days[0] - 2) < 1e-9)
        #expect(abs(TrafficCurve.days[6] / TrafficCurve.days[0] - 2) < 1e-9)
    }

    @Test("Each kind of request has its configured share")
    func mix() {
        let counts = Dictionary(grouping: (0..<100).map { Act(percentile: $0) }, by: { $0 }).mapValues(\.count)
        #expect(counts == [.browse: 58, .readCard: 20, .stamp: 12, .issue: 6, .paper: 2, .redeemOrReview: 2])
    }

    @Test("A steady pace is even")
    func steady() {
        var time = 0.0
        for _ in 0..<1_000 { time = Schedule.due(after: time, .steady(perSecond: 50)) }
        #expect(abs(time - 20) < 1e-6)
    }

    @Test("A week has its mean number of requests, distributed over the right hours")
    func week() {
        let pace = Pace.week(meanPerSecond: 1_000, seconds: 16.8)
        var perHour = Array(repeating: 0, count: 168)
        var time = Schedule.due(after: 0, pace)
        while time < 16.8 {
            perHour[min(Int(time / 0.1), 167)] += 1
            time = Schedule.due(after: time, pace)
        }
        #expect(abs(perHour.reduce(0, +) - 16_800) <= 2)
        for hour in 0..<168 {
            let expected = 100 * TrafficCurve.rate(inHour: hour)
            #expect(abs(Double(perHour[hour]) - expected) <= 2, "hour \(hour)")
        }
    }

    @Test("A week repeats")
    func secondWeek() {
        let pace = Pace.week(meanPerSecond: 100, seconds: 1.68)
        var (time, count) = (0.0, 0)
        while time < 3.36 {
            time = Schedule.due(after: time, pace)
            count += 1
        }
        #expect(abs(count - 336) <= 2)
    }
}
