import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Testing

@testable import Search

/// Shops with sealed (encrypted) contact data. A rebuild has no keys, so the server decrypts the rebuilt rows when it takes them over.
@Suite(.timeLimit(.minutes(15))) struct SealedShopTests {
    private static let shop = ShopID(10)
    private static let start = Instant(microseconds: 1_700_000_000_000_000)

    private let key: DataKey

    init() throws { key = try DataKey(bytes: Array(repeating: 7, count: DataKey.length)) }

    private func contact(_ name: String) throws -> HeldContact {
        let contact = ShopContact(name: name, phone: "110", address: "", location: Coordinate(latitude: 1, longitude: 1))
        let nonce = Array(repeating: UInt8(name.utf8.count), count: Sealing.nonceLength)
        return .sealed(try Sealing.seal(contact, of: Self.shop, under: key, nonce: nonce))
    }

    /// Returns a history of one shop with three campaigns. Campaign 1 ends early while the shop has its first name, and campaign 2 while it
    /// has the second name. Campaign 3 keeps running.
    private func facts() throws -> [Fact] {
        let (shop, start) = (Self.shop, Self.start)
        func published(_ number: UInt128) -> LoyaltyEvent {
            .campaignPublished(
                CampaignPublished(
                    campaign: CampaignID(number), shop: shop, kind: .promotion,
                    terms: CampaignTerms(
                        title: "Cups", details: "", goal: 0, reward: "", startsAt: start, endsAt: start.advanced(bySeconds: 9_000))))
        }
        func ended(_ number: UInt128) -> LoyaltyEvent {
            .campaignEnded(CampaignEnded(campaign: CampaignID(number), shop: shop))
        }
        let events: [LoyaltyEvent] = [
            .shopOpened(ShopOpened(shop: shop, owner: Town.owner, contact: try contact("Alpha"))), published(1), ended(1),
            .shopEdited(ShopEdited(shop: shop, contact: try contact("Beta"), images: [])), published(2), ended(2), published(3),
        ]
        return events.enumerated().map { number, event in
            Fact(
                position: UInt64(number) + 1, time: start.advanced(bySeconds: Int64(number)), actor: Town.owner, event: event)
        }
    }

    private func found(_ open: OpenDiscovery, _ text: String) async throws -> Set<CampaignID> {
        Set(try await open.all(CampaignSearch(text: text, now: Self.start)).map(\.id))
    }

    /// Creates a folder whose model was built without keys and closed.
    private func rebuilt() async throws -> TestData {
        let data = TestData()
        let keyless = try OpenDiscovery(data)
        try await keyless.append(try facts().dropLast())
        #expect(try await keyless.all(CampaignSearch(text: "beta", now: Self.start)).isEmpty)
        try keyless.close()
        return data
    }

    private struct DamagedKeys: Error, CustomStringConvertible {
        let description = "the keys are damaged. Put a copy of them in their place."
    }

    @Test("Keys that cannot be read stop the model with their own cause and remedy, also while it is opened")
    func keysFail() async throws {
        let open = try OpenDiscovery(findKey: { _ in throw DamagedKeys() })
        await #expect(throws: OpenDiscovery.NotCaughtUp.self) { try await open.append(try facts()) }
        try check(open.status?.failure)
        try open.close()
        let data = try await rebuilt()
        let again = try OpenDiscovery(data, findKey: { _ in throw DamagedKeys() })
        try again.log.append(try facts().suffix(1), with: again.appender)
        #expect(await again.caughtUp() == false)
        try check(again.status?.failure)
        try again.close()
    }

    private func check(_ error: ReadModelError?) throws {
        let error = try #require(error)
        #expect("\(error.code)" == "keys" && error.detail.contains("Put a copy of them in their place"), "\(error)")
        #expect(!error.remedy.contains("space") && error.remedy.contains("start again"), "\(error.remedy)")
    }

    @Test("A campaign that ended early is found by its shop's name at that time", arguments: [false, true])
    func endedEarly(_ isRebuilt: Bool) async throws {
        let key = key
        let open = try OpenDiscovery(isRebuilt ? try await rebuilt() : TestData(), findKey: { _ in key })
        // The model applies at least one more event here, even after a rebuild. A reader that sees this event also sees the rows that were
        // decrypted before it.
        for fact in try isRebuilt ? facts().suffix(1) : facts()[...] { try await open.append([fact]) }
        #expect(try await found(open, "alpha") == [CampaignID(1)])
        #expect(try await found(open, "beta") == [CampaignID(2), CampaignID(3)])
        try open.close()
    }
}
