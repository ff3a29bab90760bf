import CommandService
import Composition
import Loyalty
import LoyaltyCodec
import Testing
import World

@testable import TillImport

/// A row that is imported again is treated as a retry and changes nothing. Only new rows add events.
@Suite(.timeLimit(.minutes(15))) struct RepetitionTests {
    private static let header = "visited_at,customer\n"

    private func rows(_ days: some Sequence<Int>) -> String {
        days.map { "2024-03-\($0)T10:15:00Z,guest\n" }.joined()
    }

    @Test("A second import of the same file adds no event and reports the same figures", arguments: [false, true])
    func sameFile(_ redeem: Bool) async throws {
        let sandbox = try Sandbox()
        let file = Self.header + rows(10...20) + rows(10...12)
        let first = try await sandbox.imports(file, redeem: redeem).summary
        let before = try sandbox.facts()
        let second = try await sandbox.imports(file, redeem: redeem).summary
        #expect(second.events == 0)
        #expect(second.ofFile == first.ofFile)
        #expect(try sandbox.facts() == before)
    }

    @Test("A longer file adds only its new rows, and the result is that of a single import")
    func longerFile() async throws {
        let (sandbox, other) = (try Sandbox(), try Sandbox())
        _ = try await sandbox.imports(Self.header + rows(10...14), redeem: true)
        let grown = try await sandbox.imports(Self.header + rows(10...20), redeem: true).summary
        let whole = try await other.imports(Self.header + rows(10...20), redeem: true).summary
        #expect(grown.ofFile == whole.ofFile)
        #expect(try sandbox.facts().count == other.facts().count)
    }

    @Test("An older file adds its visits, although the campaign of the earlier import began later", arguments: [false, true])
    func anOlderFile(_ oneCard: Bool) async throws {
        let sandbox = try Sandbox()
        _ = try await sandbox.imports(Self.header + rows(15...16), oneCard: oneCard)
        let older = Self.header + "2024-03-15T10:14:59.5Z,guest\n2023-01-01T00:00:00Z,guest\n"
        let (first, reports) = try await sandbox.imports(older, oneCard: oneCard)
        #expect(first.visits == 2 && first.stamps == 2 && reports.isEmpty, "\(reports)")
        for file in [older, Self.header + rows(15...16)] {
            #expect(try await sandbox.imports(file, oneCard: oneCard).summary.events == 0)
        }
        let campaign = try #require(World(sandbox.facts()).campaigns.values.first)
        #expect(campaign.terms.startsAt.rfc3339 == "2023-01-01T00:00:00.000Z")
        #expect(try World(sandbox.facts()).cards.values.map(\.stamps).sorted() == [1, 3])
    }

    @Test("A second import with redemption redeems the cards that the first import filled")
    func laterRedemptions() async throws {
        let sandbox = try Sandbox()
        _ = try await sandbox.imports(Self.header + rows(10...15))
        let second = try await sandbox.imports(Self.header + rows(10...15), redeem: true).summary
        #expect(second.redeemed == 2 && second.events == 4)
    }

    @Test("A repeated import with another goal is refused and changes nothing")
    func anotherGoal() async throws {
        let sandbox = try Sandbox()
        _ = try await sandbox.imports(Self.header + rows(10...15), goal: 3)
        let before = try sandbox.facts()
        await #expect(throws: ImportError.importedWithOtherGoal(shop: "Corner")) {
            try await sandbox.imports(Self.header + rows(10...15), goal: 4)
        }
        #expect(try sandbox.facts() == before)
    }

    @Test("The shops of an import belong to the account that signs in with the given owner's number")
    func ownersNumber() async throws {
        let sandbox = try Sandbox()
        let owner = try #require(E164Number("+8613800138000"))
        let chain = "visited_at,customer,shop\n2024-03-10T10:15:00Z,guest,North\n2024-03-11T10:15:00Z,guest,South\n"
        let first = try await sandbox.imports(chain, owner: owner).summary
        #expect(first.shops == 2 && first.stamps == 2)
        let account = try await sandbox.service.register(owner)
        let names = try sandbox.service.reading { try $0.shops(ownedBy: account.id) }.map { try sandbox.service.opened($0).name }
        #expect(Set(names) == ["Corner North", "Corner South"])
        #expect(try await sandbox.imports(chain, owner: owner).summary.events == 0)
        #expect(try await sandbox.imports(chain).summary.stamps == 2, "an import without the owner's number opens shops of its own")
    }

    @Test("Commands that find the write queue full are sent again, so that no row is lost and none counts twice")
    func fullQueue() async throws {
        let (narrow, wide) = (try Sandbox(queueLimit: 1), try Sandbox())
        let file = Self.header + (0..<60).map { "2024-03-10T1\($0 / 10):\(10 + $0 % 10):00Z,guest \($0 % 20)\n" }.joined()
        let first = try await narrow.imports(file).summary
        let whole = try await wide.imports(file).summary
        #expect(first.ofFile == whole.ofFile && first.accounts == 20 && first.stamps == 60)
        #expect(try narrow.facts().count == wide.facts().count)
        #expect(try await narrow.imports(file).summary.events == 0)
    }

    @Test("An import under another name opens a shop with stamps of its own")
    func anotherName() async throws {
        let sandbox = try Sandbox()
        _ = try await sandbox.imports(Self.header + rows(10...15), shop: "Corner")
        let other = try await sandbox.imports(Self.header + rows(10...15), shop: "Harbour").summary
        #expect(other.stamps == 6 && other.events == 1 + 3 + 12 + 2)
    }
}
