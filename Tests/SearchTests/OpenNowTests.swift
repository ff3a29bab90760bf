import EventLog
import Foundation
import Histories
import Loyalty
import Seeds
import Testing

@testable import Search

/// Searches for what is open at a moment, against a calendar that shares no code with them.
@Suite(.timeLimit(.minutes(15))) struct OpenNowTests {
    private static let center = Coordinate(latitude: 52.5, longitude: 13.4)

    private static func moment(_ text: String) throws -> Instant {
        let date = try #require(ISO8601DateFormatter().date(from: text))
        return Instant(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000)
    }

    /// The moments at which the single shop of a town is found, of those given.
    private static func open(_ schedule: ShopSchedule, at times: [String]) async throws -> [Bool] {
        var town = Town()
        town.publish("Ten cups", at: town.open("Tea", at: center, schedule: schedule))
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var found: [Bool] = []
        for time in times {
            let filter = ShopFilter(openAt: try moment(time))
            let shops = try await open.all(ShopSearch(filter: filter)).count
            #expect(try await open.all(CampaignSearch(now: Town.now, filter: filter)).count == shops)
            found.append(shops == 1)
        }
        try open.close()
        return found
    }

    @Test("Hours over midnight belong to the day on which they begin, at both ends of the week")
    func overMidnight() async throws {
        // Sunday 22:00 to 02:00 in Berlin, in winter.
        let nights = ShopSchedule(timeZone: "Europe/Berlin", openingHours: [OpeningHours(days: 0x40, fromMinute: 1_320, toMinute: 120)])
        let times = [
            "2026-11-22T20:59:59Z", "2026-11-22T21:00:00Z", "2026-11-22T23:30:00Z", "2026-11-23T00:59:59Z", "2026-11-23T01:00:00Z",
            "2026-11-22T00:30:00Z",
        ]
        #expect(try await Self.open(nights, at: times) == [false, true, true, true, false, false])
    }

    @Test("On days when clocks change, the shop's clock decides: a repeated hour is open twice, a skipped one never comes")
    func clockChanges() async throws {
        // Every day from 02:00 to 03:00.
        let hour = ShopSchedule(timeZone: "Europe/Berlin", openingHours: [OpeningHours(days: 0x7F, fromMinute: 120, toMinute: 180)])
        // In October, 02:00 to 03:00 comes twice: from 00:00 and from 01:00 in UTC.
        let autumn = [
            "2026-10-24T23:59:00Z", "2026-10-25T00:00:00Z", "2026-10-25T00:59:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z",
        ]
        #expect(try await Self.open(hour, at: autumn) == [false, true, true, true, false])
        // In March, 02:00 is 03:00 at once.
        let spring = ["2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"]
        #expect(try await Self.open(hour, at: spring) == [false, false, false])
        let night = ShopSchedule(timeZone: "Europe/Berlin", openingHours: [OpeningHours(days: 0x20, fromMinute: 1_320, toMinute: 240)])
        #expect(try await Self.open(night, at: ["2026-03-29T01:59:00Z", "2026-03-29T02:00:00Z"]) == [true, false])
    }

    @Test("A shop without hours, or with none on any day, is not found, and an edit of hours or zone counts at once")
    func edits() async throws {
        let always = [OpeningHours(days: 0x7F, fromMinute: 0, toMinute: 1_440)]
        for hours in [nil, []] as [[OpeningHours]?] {
            let schedule = ShopSchedule(timeZone: "Asia/Shanghai", openingHours: hours)
            #expect(try await Self.open(schedule, at: ["2026-11-21T09:00:00Z"]) == [false])
        }
        var town = Town()
        let shop = town.open("Tea", at: Self.center)
        let open = try OpenDiscovery()
        let search = ShopSearch(filter: ShopFilter(openAt: try Self.moment("2026-11-21T09:00:00Z")))
        var found: [Int] = []
        let noon = [OpeningHours(days: 0x7F, fromMinute: 720, toMinute: 780)]
        let schedules = [
            ShopSchedule(openingHours: always), ShopSchedule(timeZone: "UTC", openingHours: noon),
            ShopSchedule(timeZone: "Asia/Tbilisi", openingHours: noon), ShopSchedule(timeZone: "Europe/Moscow", openingHours: noon),
        ]
        for schedule in schedules {
            town.change(schedule, of: shop)
            try await open.append(town.news())
            found.append(try await open.all(search).count)
        }
        #expect(found == [1, 0, 0, 1])
        try open.close()
    }

    @Test("Random hours in many zones agree with a calendar, at random moments of three years")
    func againstACalendar() async throws {
        var random = SeededRandom.announced("open now")
        let zones = ["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC"]
        var (town, schedules) = (Town(), [ShopSchedule]())
        for _ in 0..<300 {
            let hours = (0..<Int.random(in: 0...2, using: &random)).map { place in
                // The first begins before noon and ends before the second begins.
                let from = place == 0 ? Int.random(in: 0..<600, using: &random) : Int.random(in: 720..<1_440, using: &random)
                let to = place == 0 ? Int.random(in: from + 1...719, using: &random) : Int.random(in: 0..<2, using: &random) * 60
                return OpeningHours(days: UInt8.random(in: 1...127, using: &random), fromMinute: from, toMinute: to == 0 ? 1_440 : to)
            }
            schedules.append(ShopSchedule(timeZone: zones.randomElement(using: &random)!, openingHours: hours))
            town.open("Tea", at: Self.center, schedule: schedules.last!)
        }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        for _ in 0..<60 {
            let seconds = Int64.random(in: 1_750_000_000..<1_845_000_000, using: &random)
            let now = Instant(microseconds: seconds * 1_000_000 + Int64.random(in: 0..<1_000_000, using: &random))
            let found = Set(try await open.all(ShopSearch(filter: ShopFilter(openAt: now))).map(\.id))
            let expected = town.shops.indices.filter { Self.isOpen(schedules[$0], at: seconds) }.map { town.shops[$0].id }
            #expect(found == Set(expected), "at \(seconds)")
        }
        try open.close()
    }

    private static func isOpen(_ schedule: ShopSchedule, at seconds: Int64) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: schedule.timeZone)!
        let parts = calendar.dateComponents([.weekday, .hour, .minute], from: Date(timeIntervalSince1970: TimeInterval(seconds)))
        let (today, minute) = ((parts.weekday! + 5) % 7, parts.hour! * 60 + parts.minute!)
        return (schedule.openingHours ?? []).contains { hours in
            (0..<7).contains { day in
                guard hours.days >> UInt8(day) & 1 == 1 else { return false }
                // Minutes since the beginning of the day on which the hours begin.
                let since = ((today - day + 7) % 7) * 1_440 + minute
                let end = hours.toMinute <= hours.fromMinute ? hours.toMinute + 1_440 : hours.toMinute
                return since >= hours.fromMinute && since < end
            }
        }
    }

    @Test("A search for what is open visits no more rows than others")
    func bounds() async throws {
        var town = Town()
        for _ in 0..<5_000 { town.open("Tea", at: Self.center, schedule: ShopSchedule(timeZone: "Europe/Berlin", openingHours: [])) }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let page = try open.discovery.shops(ShopSearch(filter: ShopFilter(openAt: Town.now)))
        #expect(page.items.isEmpty && page.looks == SearchLimits.looksPerWalk && page.next != nil)
        try open.close()
    }

    @Test("A search among given campaigns finds those that fit, in any order, in pages")
    func among() async throws {
        var town = Town()
        for number in 0..<30 {
            let shop = town.open("Tea", at: Self.center)
            town.publish("Ten cups", at: shop, kind: number.isMultiple(of: 3) ? .promotion : .stampCard)
        }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let given = town.campaigns[..<20].map(\.id).shuffled() + [CampaignID(99)]
        var search = CampaignSearch(now: Town.now, among: given)
        search.kind = .stampCard
        let expected = town.campaigns[..<20].filter { $0.kind == .stampCard }.map(\.id)
        #expect(try await open.all(search, limit: 3).map(\.id) == expected.reversed())
        search.near = Near(center: Self.center)
        search.sort = .distance
        #expect(try await open.all(search, limit: 3).map(\.id) == expected)
        #expect(try await open.all(ShopSearch(among: [])).isEmpty)
        #expect(try await open.all(ShopSearch(among: [town.shops[4].id])).map(\.id) == [town.shops[4].id])
        let none = try open.discovery.campaigns(CampaignSearch(now: Town.now, among: []))
        #expect(none.items.isEmpty && none.next == nil && none.looks == 0)
        try open.close()
    }
}
