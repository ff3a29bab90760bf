import EventLog
import GRDB
import Loyalty
import LoyaltyCodec
import Testing

@testable import Search

/// Campaigns with sealed texts, in rows that were built without keys.
@Suite(.timeLimit(.minutes(15))) struct SealedTextTests {
    private static let (shop, campaign) = (ShopID(2), CampaignID(3))
    private static let now = Town.now

    private let key: DataKey

    init() throws { key = try DataKey(bytes: Array(repeating: 7, count: DataKey.length)) }

    private func sealed(_ text: String, _ field: SealedField) throws -> TypedText {
        let nonce = Array(repeating: UInt8(text.utf8.count), count: Sealing.nonceLength)
        return .sealed(try Sealing.seal(text, field: field, of: Self.shop.keyHolder, under: key, nonce: nonce))
    }

    private func facts() throws -> [Fact] {
        let end = Self.now.advanced(bySeconds: 3_600)
        let place = Coordinate(latitude: 31, longitude: 121)
        let events: [LoyaltyEvent] = [
            .shopOpened(ShopOpened(shop: Self.shop, owner: Town.owner, name: "Leaf", phone: "110", address: "", location: place)),
            .campaignPublished(
                CampaignPublished(
                    campaign: Self.campaign, shop: Self.shop, kind: .stampCard,
                    terms: CampaignTerms(
                        title: try sealed("Ten cups", .campaignTitle), details: "", goal: 10, reward: try sealed("Cake", .campaignReward),
                        startsAt: Self.now, endsAt: end))),
            .campaignEdited(
                CampaignEdited(
                    campaign: Self.campaign, shop: Self.shop,
                    terms: CampaignTerms(
                        title: try sealed("Twelve cups", .campaignTitle), details: "", goal: 12,
                        reward: try sealed("Cake", .campaignReward), startsAt: Self.now, endsAt: end, image: nil, caps: .none))),
        ]
        return events.enumerated().map { Fact(position: UInt64($0 + 1), time: Self.now, actor: Town.owner, event: $1) }
    }

    private func found(_ text: String, in open: OpenDiscovery) async throws -> [CampaignID] {
        try await open.all(CampaignSearch(text: text, now: Self.now)).map(\.id)
    }

    @Test("A sealed campaign is found by its shop's words at first, and by its own once there is a key")
    func waits() async throws {
        let open = try OpenDiscovery()
        try await open.append(try facts())
        #expect(try await found("twelve", in: open) == [])
        #expect(try await found("leaf", in: open) == [Self.campaign])
        let before = try open.discovery.file.content().digest
        try await open.discovery.file.pool.write { try $0.openSealed { [key] in $0 == Self.shop ? key : nil } }
        for text in ["twelve", "cake leaf"] { #expect(try await found(text, in: open) == [Self.campaign], "\(text)") }
        #expect(try await found("ten", in: open) == [], "an edit replaces all texts of the campaign")
        #expect(try open.discovery.file.content().digest == before, "the digest depends on no key")
    }

    @Test("A campaign whose key was destroyed has no text and no longer waits for a key")
    func destroyed() async throws {
        let open = try OpenDiscovery()
        try await open.append(try facts())
        try await open.discovery.file.pool.write { try $0.openSealed { _ in nil } }
        #expect(try await found("twelve", in: open) == [])
        let waiting = try await open.discovery.file.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM unopened_texts") }
        #expect(waiting == 0)
    }
}
