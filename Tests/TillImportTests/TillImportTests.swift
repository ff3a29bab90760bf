import CommandService
import Composition
import Loyalty
import LoyaltyCodec
import Testing
@testable import TillImport

@Suite(.timeLimit(.minutes(15))) struct TillImportTests {
    private static let header = "visited_at,customer\n"

    @Test("Two equal rows are two stamps on one card of one account")
    func equalRows() async throws {
        let sandbox = try Sandbox()
        let file = Self.header + String(repeating: "2024-03-01T10:15:00Z,guest\n", count: 2)
        let (summary, reports) = try await sandbox.imports(file)
        #expect(summary.stamps == 2 && summary.cards == 1 && summary.accounts == 1)
        #expect(reports.isEmpty)
    }

    @Test("Every event has the time of its visit, and the log is in order of time")
    func visitTime() async throws {
        let sandbox = try Sandbox()
        let file = Self.header + "2024-03-02T10:15:00Z,b\n2024-03-01T10:15:00Z,a\n2024-03-02T10:15:00+02:00,a\n"
        _ = try await sandbox.imports(file, goal: 1, redeem: true)
        let perVisit = 2 + 1 + 2
        let expected = ["2024-03-01T10:15:00.000Z", "2024-03-02T08:15:00.000Z", "2024-03-02T10:15:00.000Z"]
        // The first visit also creates the owner, the shop, the campaign and account a. The third visit also creates account b.
        let counts = [perVisit + 4, perVisit, perVisit + 1]
        #expect(try sandbox.facts().map(\.time.rfc3339) == zip(expected, counts).flatMap { Array(repeating: $0, count: $1) })
    }

    @Test("A customer registers right before the first visit, also where a file has hundreds of customers")
    func registration() async throws {
        let sandbox = try Sandbox()
        // Every third visit is by the previous visit's customer.
        let customers = (0..<900).map { $0 % 3 == 2 ? $0 - 1 : $0 }
        let rows = customers.map { "2024-03-01T10:15:00Z,guest \($0)\n" }.joined()
        let (summary, reports) = try await sandbox.imports(Self.header + rows)
        #expect(summary.accounts == 600 && summary.stamps == 900 && reports.isEmpty)
        var registered: AccountID?
        for fact in try sandbox.facts().dropFirst(3) {
            switch fact.event {
            case .accountRegistered(let event): registered = event.account
            case .codeIssued: continue
            case .cardOpened(let event): #expect(event.holder == registered, "at \(fact.position)")
            case .cardStamped(let event): #expect(event.holder == registered, "at \(fact.position)")
            default: Issue.record("\(fact)")
            }
        }
        let again = try await sandbox.imports(Self.header + rows).summary
        #expect(again.events == 0 && again.ofFile == summary.ofFile)
    }

    @Test("A card is redeemed right after the stamp that fills it, at the same time")
    func redeemedAtOnce() async throws {
        let sandbox = try Sandbox()
        let rows = (10...16).map { "2024-03-\($0)T10:15:00Z,guest\n" }.joined()
        let (summary, _) = try await sandbox.imports(Self.header + rows, goal: 3, redeem: true)
        #expect(summary.cards == 3 && summary.full == 2 && summary.redeemed == 2)
        let facts = try sandbox.facts()
        for (index, fact) in facts.enumerated() {
            guard case .cardRedeemed(let event) = fact.event else { continue }
            guard case .cardStamped(let stamp) = facts[index - 2].event else {
                Issue.record("no stamp right before the redemption at \(fact.position)")
                continue
            }
            #expect(stamp.card == event.card && facts[index - 2].time == fact.time)
        }
    }

    @Test("A row without a customer is counted as a visit and skipped")
    func noCustomer() async throws {
        let sandbox = try Sandbox()
        let (summary, reports) = try await sandbox.imports(Self.header + "2024-03-01T10:15:00Z,\n2024-03-01T10:16:00Z,guest\n")
        #expect(summary.visits == 2 && summary.skipped == 1 && summary.stamps == 1 && summary.accounts == 1)
        #expect(reports.isEmpty)
    }

    @Test("A malformed row is reported with its line, and the other rows are imported")
    func malformedRows() async throws {
        let sandbox = try Sandbox()
        let file = Self.header + "yesterday,guest\n2024-03-01T10:15:00Z\n2024-03-01T10:15:00Z,\"guest\n2024-03-01T10:16:00Z,guest\n"
        let (summary, reports) = try await sandbox.imports(file)
        #expect(summary.malformed == 3 && summary.visits == 1 && summary.stamps == 1)
        #expect(reports.map(\.line) == [2, 3, 4])
        #expect(reports.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("A visit of 1984 is imported, and a visit in the future is reported with its line")
    func futureVisit() async throws {
        let sandbox = try Sandbox()
        let (summary, reports) = try await sandbox.imports(Self.header + "1984-03-01T10:15:00Z,guest\n2094-03-01T10:15:00Z,guest\n")
        #expect(summary.visits == 1 && summary.malformed == 1 && summary.stamps == 1)
        #expect(reports.map(\.line) == [3])
    }

    @Test("Each shop of the file has its own owner, campaign and place")
    func ownShops() async throws {
        let sandbox = try Sandbox()
        let file = """
            visited_at,customer,shop,latitude,longitude
            2024-03-01T10:15:00Z,guest,A,60.1,24.9
            2024-03-01T10:16:00Z,guest,B,,
            2024-03-01T10:17:00Z,guest,A,60.1,24.9
            """
        let (summary, _) = try await sandbox.imports(file)
        #expect(summary.shops == 2 && summary.accounts == 1 && summary.cards == 2 && summary.stamps == 3)
        let shops = try sandbox.facts().compactMap { fact in try Shop(opening: fact).map { try sandbox.service.opened($0) } }
        #expect(shops.map(\.name) == ["Corner A", "Corner B"])
        #expect(shops.map(\.location) == [Coordinate(latitude: 60.1, longitude: 24.9), Coordinate(latitude: 0, longitude: 0)])
        #expect(Set(shops.map(\.owner)).count == 2)
    }

    @Test("A file that is empty or lacks a required column is refused and changes nothing")
    func unusableFile() async throws {
        let sandbox = try Sandbox()
        await #expect(throws: ImportError.self) { try await sandbox.imports("") }
        await #expect(throws: ImportError.self) { try await sandbox.imports("time,who\n2024-03-01T10:15:00Z,guest\n") }
        #expect(try sandbox.facts().isEmpty)
    }

    @Test("The summary is one JSON object with every count and the seconds")
    func summaryJSON() {
        let names = ["visits", "skipped", "malformed", "accounts", "shops", "stamps", "cards", "full", "redeemed", "events"]
        let expected = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + ",\"seconds\":0.0}"
        #expect(ImportSummary().json == expected)
    }
}
