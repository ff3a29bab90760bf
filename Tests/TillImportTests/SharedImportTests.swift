import CommandService
import Composition
import Loyalty
import LoyaltyCodec
import Testing
import World

@testable import TillImport

/// A file of visits to several shops of one owner, imported into shops that share one campaign.
@Suite(.timeLimit(.minutes(15))) struct SharedImportTests {
    private static let header = "visited_at,customer,shop,stamps\n"

    private func row(_ day: Int, _ shop: String, _ stamps: Int = 1, customer: String = "guest") -> String {
        "2024-03-\(day)T10:15:00Z,\(customer),\(shop),\(stamps)\n"
    }

    private func campaign(_ sandbox: Sandbox) throws -> Campaign {
        try #require(World(sandbox.facts()).campaigns.values.first)
    }

    @Test("A card is filled at several shops and redeemed at the last of them; each event names the shop where it happened")
    func oneCard() async throws {
        let sandbox = try Sandbox()
        let file = Self.header + row(10, "East", 2) + row(11, "West") + row(12, "West", 1, customer: "other")
        let (summary, reports) = try await sandbox.imports(file, goal: 3, redeem: true, oneCard: true)
        #expect(reports.isEmpty && summary.shops == 2 && summary.cards == 2 && summary.full == 1 && summary.redeemed == 1)
        let facts = try sandbox.facts()
        let opened = facts.compactMap { if case .shopOpened(let event) = $0.event { event.shop } else { nil } }
        let stamped = facts.compactMap { if case .cardStamped(let event) = $0.event { event.shop } else { nil } }
        let redeemed = facts.compactMap { if case .cardRedeemed(let event) = $0.event { event.shop } else { nil } }
        #expect(stamped == [opened[0], opened[1], opened[1]] && redeemed == [opened[1]])
        #expect(try campaign(sandbox).shop == opened[0] && campaign(sandbox).options.shops == [opened[1]])
    }

    @Test("Shops of a longer file join the campaign, and no shop leaves it when a shorter file is imported")
    func joining() async throws {
        let sandbox = try Sandbox()
        let first = Self.header + row(10, "East")
        let more = first + row(11, "West") + row(12, "North")
        let other = first + row(13, "South")
        for (file, shops) in [(first, 1), (more, 3), (first, 3), (other, 4), (more, 4)] {
            _ = try await sandbox.imports(file, goal: 3, oneCard: true)
            #expect(try campaign(sandbox).options.shops.count + 1 == shops)
            let again = try await sandbox.imports(file, goal: 3, oneCard: true).summary
            #expect(again.events == 0)
        }
        let cards = try World(sandbox.facts()).cards.values
        #expect(cards.map(\.stamps).sorted() == [1, 3], "three of four visits fill the first card")
    }

    @Test("The shops belong to the given number's account, and an import without a shared campaign opens other shops")
    func owner() async throws {
        let sandbox = try Sandbox()
        let owner = try #require(E164Number("+8613800131001"))
        let file = Self.header + row(10, "East") + row(11, "West")
        _ = try await sandbox.imports(file, owner: owner)
        _ = try await sandbox.imports(file, owner: owner, oneCard: true)
        let world = try World(sandbox.facts())
        #expect(world.shops.count == 4 && Set(world.shops.values.map(\.owner)).count == 1)
        #expect(world.campaigns.values.map(\.options.shops.count).sorted() == [0, 0, 1])
    }

    @Test("More shops than one campaign can have are refused before anything is written")
    func tooMany() async throws {
        let sandbox = try Sandbox()
        let shops = (0...Loyalty.Limits.sharedShops + 1).map { row(10, "№ \($0)") }
        await #expect(throws: ImportError.tooManyShops(max: Loyalty.Limits.sharedShops + 1)) {
            try await sandbox.imports(Self.header + shops.joined(), oneCard: true)
        }
        #expect(try sandbox.facts().isEmpty)
        #expect(try await sandbox.imports(Self.header + shops.dropLast().joined(), oneCard: true).summary.shops == shops.count - 1)
    }

    @Test("More shops than one account may own are refused before anything is written, or with a reason when it owns others")
    func tooManyOwned() async throws {
        let sandbox = try Sandbox()
        let owner = try #require(E164Number("+8613800131001"))
        let shops = (0...Loyalty.Limits.openShopsPerAccount).map { row(10, "№ \($0)") }
        let refusal = ImportError.tooManyOwned(max: Loyalty.Limits.openShopsPerAccount)
        await #expect(throws: refusal) { try await sandbox.imports(Self.header + shops.joined(), owner: owner) }
        #expect(try sandbox.facts().isEmpty)
        _ = try await sandbox.imports(Self.header + shops.dropLast().joined(), owner: owner)
        await #expect(throws: refusal) { try await sandbox.imports(Self.header + row(11, "Another"), owner: owner) }
        #expect(try await sandbox.imports(Self.header + shops.joined()).summary.shops == shops.count)
    }
}
