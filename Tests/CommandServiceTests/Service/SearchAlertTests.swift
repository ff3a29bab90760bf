import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import ReadModels
import Testing

@testable import CommandService
@testable import Composition

/// A saved search has at most one alert a day, whatever happens to clock and process.
@Suite("Alerts of saved searches", .timeLimit(.minutes(15)))
struct SearchAlertTests {
    private static let day: Int64 = 86_400

    private static func save(_ terms: SearchTerms = SearchTerms(), by caller: Caller, on service: GreenTea) async throws -> SearchID {
        let saved = try await service.saveSearch(terms, alerts: true, by: caller)
        guard case .searchSaved(let event) = saved.facts.first?.event else { throw TestFailure("no search") }
        return event.search
    }

    /// The alerts of all searches, oldest first.
    private static func alerts(on service: GreenTea) throws -> [(fact: Fact, event: SearchAlerted)] {
        let query = Query.items([QueryItem(types: [.searchAlerted], tags: [])])
        return try service.log.events(matching: query, after: .start).map { try LoyaltyCodec.decode($0) }.compactMap { fact in
            if case .searchAlerted(let event) = fact.event { (fact, event) } else { nil }
        }
    }

    @Test("New campaigns are named a day after the search was saved, once, and the next ones a day later")
    func daily() async throws {
        let site = try Site()
        let service = site.service
        let guest = try await customer(1, on: service)
        let search = try await Self.save(by: guest, on: service)
        let shop = try await TeaShop.open(on: service)
        _ = try await service.runDue()
        #expect(try Self.alerts(on: service).isEmpty, "it is too early")
        site.clock.move(bySeconds: Self.day)
        for _ in 0..<3 { _ = try await service.runDue() }
        let first = try Self.alerts(on: service)
        #expect(first.map(\.event.campaigns.ids) == [[shop.campaign]] && first.first?.event.search == search)
        #expect(first.first?.fact.actor == .system)
        let notices = try service.models.notices.notices(of: guest.account).notices
        #expect(notices.map(\.notice.alert?.campaigns) == [[shop.campaign]])
        let second = try await TeaShop.open(on: service, number: 2)
        _ = try await service.runDue()
        #expect(try Self.alerts(on: service).count == 1, "one a day")
        site.clock.move(bySeconds: Self.day)
        _ = try await service.runDue()
        #expect(try Self.alerts(on: service).map(\.event.campaigns.ids) == [[shop.campaign], [second.campaign]])
    }

    @Test("A restart, also without derived data, repeats no alert, and loses none")
    func restarts() async throws {
        let site = try Site()
        let guest = try await customer(1, on: site.service)
        _ = try await Self.save(by: guest, on: site.service)
        _ = try await TeaShop.open(on: site.service)
        try site.close()
        site.clock.move(bySeconds: 29 * Self.day)
        try FileManager.default.removeItem(atPath: site.folder.path + "/derived")
        try site.open()
        _ = try await site.service.runDue()
        #expect(try Self.alerts(on: site.service).count == 1)
        for _ in 0..<2 {
            try site.reopen()
            _ = try await site.service.runDue()
        }
        #expect(try Self.alerts(on: site.service).count == 1)
    }

    @Test("A clock that is set forward and back brings no alert early, and no second one")
    func clocks() async throws {
        let site = try Site()
        let service = site.service
        let guest = try await customer(1, on: service)
        _ = try await Self.save(by: guest, on: service)
        _ = try await TeaShop.open(on: service)
        site.clock.set(bySeconds: 20 * Self.day)
        _ = try await service.runDue()
        #expect(try Self.alerts(on: service).isEmpty, "no time has passed")
        site.clock.set(bySeconds: -20 * Self.day)
        site.clock.move(bySeconds: Self.day)
        _ = try await service.runDue()
        #expect(try Self.alerts(on: service).count == 1)
        _ = try await TeaShop.open(on: service, number: 2)
        site.clock.set(bySeconds: 20 * Self.day)
        _ = try await service.runDue()
        site.clock.set(bySeconds: -25 * Self.day)
        _ = try await service.runDue()
        #expect(try Self.alerts(on: service).count == 1)
    }

    @Test("No alert of a muted shop, for a search that was removed, or for an erased account")
    func silence() async throws {
        let site = try Site()
        let service = site.service
        let guests = [try await customer(1, on: service), try await customer(2, on: service), try await customer(3, on: service)]
        var searches: [SearchID] = []
        for guest in guests { searches.append(try await Self.save(by: guest, on: service)) }
        let (loud, muted) = (try await TeaShop.open(on: service), try await TeaShop.open(on: service, number: 2))
        _ = try await service.submit(.muteShop(MuteShop(shop: muted.shop)), by: guests[0])
        _ = try await service.submit(.search(.remove(RemoveSearch(search: searches[1]))), by: guests[1])
        _ = try await service.eraseAccount(by: guests[2])
        site.clock.move(bySeconds: Self.day)
        for _ in 0..<2 { _ = try await service.runDue() }
        let alerts = try Self.alerts(on: service)
        #expect(alerts.map(\.event.search) == [searches[0]] && alerts.map(\.event.campaigns.ids) == [[loud.campaign]])
    }

    @Test("Only campaigns that fit are named, and a search that finds nothing stays due without an event")
    func fitting() async throws {
        let site = try Site()
        let service = site.service
        let guest = try await customer(1, on: service)
        let far = Coordinate(latitude: -31.2, longitude: 121.5)
        _ = try await Self.save(SearchTerms(near: far, radius: 1_000), by: guest, on: service)
        let here = try await Self.save(
            SearchTerms(text: "绿茶", near: Coordinate(latitude: 31.2, longitude: 121.5), radius: 1_000, kind: .stampCard), by: guest,
            on: service)
        _ = try await Self.save(SearchTerms(minRating: 45_000), by: guest, on: service)
        _ = try await Self.save(SearchTerms(isOpen: true), by: guest, on: service)
        _ = try await TeaShop.open(on: service)
        site.clock.move(bySeconds: Self.day)
        let head = service.log.head
        #expect(try await service.runDue() == 1)
        #expect(try Self.alerts(on: service).map(\.event.search) == [here])
        #expect(try await service.runDue() == 0 && service.log.head == head.next)
    }

    @Test("More searches than one pass looks at are alerted within a few passes, each once")
    func manyAtOnce() async throws {
        let site = try Site()
        let service = site.service
        for number in 1...3 {
            let guest = try await customer(number, on: service)
            for _ in 0..<30 { _ = try await Self.save(by: guest, on: service) }
        }
        _ = try await TeaShop.open(on: service)
        site.clock.move(bySeconds: Self.day)
        for _ in 0..<90 / Limits.alertsOfferedAtOnce + 2 { _ = try await service.runDue() }
        let searches = try Self.alerts(on: service).map(\.event.search)
        #expect(searches.count == 90 && Set(searches).count == 90)
    }
}
