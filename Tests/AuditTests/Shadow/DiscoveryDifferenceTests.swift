import EventLog
import Histories
import Loyalty
import Search
import Testing

@testable import Audit

/// Differences of the search database from the log, on short histories written by hand.
@Suite struct DiscoveryDifferenceTests {
    private static let owner = AccountID(10)
    private static let place = Coordinate(latitude: 60, longitude: 25)
    /// An event that does not change the search database.
    private static let other = LoyaltyEvent.codeIssued(
        CodeIssued(
            code: CodeID(1), campaign: CampaignID(5), shop: ShopID(1), secret: Secret(1), attempt: 0, stamps: 1,
            expiresAt: Instant(microseconds: 1_800_000_000_000_000)))

    private static func opened(_ shop: UInt128) -> LoyaltyEvent {
        .shopOpened(ShopOpened(shop: ShopID(shop), owner: owner, name: "Leaf", phone: "110", address: "", location: place))
    }

    private static func log(_ events: [LoyaltyEvent]) throws -> EventLog {
        let facts = events.enumerated().map { index, event in
            Fact(position: UInt64(index) + 1, time: Instant(microseconds: 1_700_000_000_000_000 + Int64(index)), actor: owner, event: event)
        }
        return try TestData.with(facts).log(.readOnly)
    }

    @Test("The difference names a missing or an extra row by its own key and content, and not those of the row at its place")
    func otherKeys() throws {
        let logs = [try Self.log([Self.opened(1), Self.other, Self.opened(3)]), try Self.log((1...3).map(Self.opened))]
        let contents = try logs.map { try DiscoveryContent.replayed($0, through: $0.head) }
        let second = try #require(contents[1].tables.first { $0.name == "shops" }?.lines[1])
        let missing = try #require(DiscoveryComparison.difference(contents[0], contents[1]))
        #expect(missing.kind == .missingRow && missing.table == "shops" && missing.key == second.key, "\(missing)")
        #expect(missing.stored == nil && missing.expected == second.value, "\(missing)")
        let extra = try #require(DiscoveryComparison.difference(contents[1], contents[0]))
        #expect(extra.kind == .extraRow && extra.table == "shops" && extra.key == second.key, "\(extra)")
        #expect(extra.stored == second.value && extra.expected == nil, "\(extra)")
    }

    @Test("The diagnosis names the event that gave a row its content back, and not the event that gave the same content first")
    func sameContentAgain() throws {
        func named(_ name: String) -> LoyaltyEvent {
            .shopEdited(ShopEdited(shop: ShopID(1), name: name, phone: "110", address: "", location: Self.place, images: []))
        }
        var events = [Self.opened(1)] + Array(repeating: Self.other, count: 19)
        (events[14], events[16]) = (named("Root"), named("Leaf"))
        let log = try Self.log(events)
        let row = try #require(DiscoveryContent.replayed(log, through: log.head).tables.first { $0.name == "shops" }?.lines.first)
        let difference = ModelDifference(
            .changedRow, model: Discovery.name, position: log.head, table: "shops", key: row.key, stored: "?", expected: row.value)
        let data = TestData()
        let bisection = Bisection(models: data.models, scratch: data.derived + "/audit/test", log: log)
        #expect(try bisection.diagnosis(ofDiscovery: difference).position == Position(17))
    }
}
