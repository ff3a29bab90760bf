import EventLog
import Histories
import Loyalty
import ReadModels
import Testing

@testable import Search

/// Shops whose contact data is sealed: a rebuild has no keys, and the server opens what it left when it takes the rows over.
@Suite struct SealedShopTests {
    private static let shop = ShopID(10)
    private static let start = Instant(microseconds: 1_700_000_000_000_000)

    /// What the events' sealed bytes say.
    private static let opener: Discovery.ContactOpener = { _, sealed in
        let name = sealed.bytes == [1] ? "Alpha" : "Beta"
        return ShopContact(name: name, phone: "110", address: "", location: Coordinate(latitude: 1, longitude: 1))
    }

    /// Campaign 1 ends early under the first name, 2 under the second, 3 goes on.
    private static var facts: [Fact] {
        func published(_ number: UInt128) -> LoyaltyEvent {
            .campaignPublished(
                CampaignPublished(
                    campaign: CampaignID(number), shop: shop, kind: .promotion, title: "Cups", details: "", goal: 0, reward: "",
                    startsAt: start, endsAt: start.advanced(bySeconds: 9_000)))
        }
        func ended(_ number: UInt128) -> LoyaltyEvent {
            .campaignEnded(CampaignEnded(campaign: CampaignID(number), shop: shop))
        }
        let events: [LoyaltyEvent] = [
            .shopOpened(ShopOpened(shop: shop, owner: Town.owner, contact: .sealed(Sealed([1])))), published(1), ended(1),
            .shopEdited(ShopEdited(shop: shop, contact: .sealed(Sealed([2])), images: [])), published(2), ended(2), published(3),
        ]
        return events.enumerated().map { number, event in
            Fact(
                position: UInt64(number) + 1, time: start.advanced(bySeconds: Int64(number)), actor: Town.owner, event: event)
        }
    }

    private func found(_ open: OpenDiscovery, _ text: String) async throws -> Set<CampaignID> {
        Set(try await open.all(CampaignSearch(text: text, now: Self.start)).map(\.id))
    }

    /// A folder whose model was built without keys and closed.
    private static func rebuilt() async throws -> TestData {
        let data = TestData()
        let keyless = try OpenDiscovery(data)
        try await keyless.append(facts.dropLast())
        #expect(try await keyless.all(CampaignSearch(text: "beta", now: start)).isEmpty)
        try keyless.close()
        return data
    }

    @Test("Campaigns that ended early are found by what their shop was called then", arguments: [false, true])
    func endedEarly(_ isRebuilt: Bool) async throws {
        let open = try OpenDiscovery(isRebuilt ? try await Self.rebuilt() : TestData(), opener: Self.opener)
        // One event is left for the model's thread in either case: whoever sees it sees what was opened before.
        for fact in isRebuilt ? Self.facts.suffix(1) : Self.facts { try await open.append([fact]) }
        #expect(try await found(open, "alpha") == [CampaignID(1)])
        #expect(try await found(open, "beta") == [CampaignID(2), CampaignID(3)])
        try open.close()
    }
}
