import Loyalty
import Testing

@testable import HTTPAPI

/// Tests that each shop in one answer is read once, and decrypted at most once.
@Suite("Shops of one answer")
struct KnownShopsTests {
    private struct Unknown: Error {}
    private static let (owner, stranger) = (AccountID(1), AccountID(2))

    private static func shop(_ number: UInt128, of owner: AccountID = owner) -> Shop? {
        let event = ShopOpened(
            shop: ShopID(number), owner: owner, name: "Tea \(number)", phone: "110", address: "",
            location: Coordinate(latitude: 1, longitude: 1))
        return Shop(opening: Fact(position: 1, time: Instant(microseconds: 0), actor: owner, event: .shopOpened(event)))
    }

    private static func campaign(_ number: UInt128, at home: UInt128, with others: ClosedRange<UInt128>) throws -> Campaign {
        let terms = CampaignTerms(
            title: TypedText.clear("Ten cups"), details: "", goal: 10, reward: "", startsAt: Instant(microseconds: 0),
            endsAt: Instant(microseconds: 1), options: CampaignOptions(shops: others.map { ShopID($0) }))
        let event = CampaignPublished(campaign: CampaignID(number), shop: ShopID(home), kind: .stampCard, terms: terms)
        let fact = Fact(position: 1, time: Instant(microseconds: 0), actor: owner, event: .campaignPublished(event))
        guard let campaign = Campaign(opening: fact) else { throw Unknown() }
        return campaign
    }

    @Test("An answer with a hundred campaigns of fifty-one shops reads each shop once, and decrypts only those that are shown")
    func bounded() throws {
        var (read, opened) = (0, 0)
        let known = KnownShops(
            read: { id in
                read += 1
                guard let shop = Self.shop(id.value, of: id.value == 51 ? Self.stranger : Self.owner) else { throw Unknown() }
                return shop
            },
            unseal: {
                opened += 1
                return $0
            })
        for number in 1...100 as ClosedRange<UInt128> {
            let campaign = try Self.campaign(number, at: 1, with: 2...51)
            #expect(try known.shop(ShopID(1)).id == ShopID(1))
            #expect(try known.sharing(campaign).map(\.shop.id) == (2...50).map { ShopID($0) }, "shop 51 belongs to somebody else")
        }
        #expect(read == 51 && opened == 50)
        let all = try known.named(by: Self.campaign(101, at: 1, with: 2...51))
        #expect(all.map(\.shop.id) == (2...51).map { ShopID($0) } && all.map(\.isOpen) == (2...51).map { $0 < 51 })
        #expect(read == 51 && opened == 51)
    }

    @Test("An answer about a campaign of one shop reads no other shop, and a list of ids decrypts none")
    func alone() throws {
        var (read, opened) = (0, 0)
        let known = KnownShops(
            read: { id in
                read += 1
                guard let shop = Self.shop(id.value) else { throw Unknown() }
                return shop
            },
            unseal: {
                opened += 1
                return $0
            })
        let terms = try Self.campaign(1, at: 1, with: 2...3)
        #expect(try known.idsSharing(terms) == [ShopID(2), ShopID(3)])
        #expect(read == 3 && opened == 0)
        var alone = terms
        alone.options.shops = []
        #expect(try known.sharing(alone).isEmpty)
        #expect(read == 3)
    }
}
