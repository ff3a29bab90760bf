import Foundation
import Testing

@testable import LoadGenerator

@Suite("Load report")
struct LoadReportTests {
    @Test("A complete run that violated no rule says just that")
    func complete() {
        let text = Self.report().text
        #expect(text.hasSuffix("\nno rule violated"), "\(text)")
        #expect(text.contains("cards on paper: 3 times stamped, 2 taken"), "\(text)")
    }

    @Test("A run against a server that prints no paper cards says that they were not tested, and why")
    func noPaper() {
        let text = Self.report(papersUntested: "set a public address").text
        #expect(text.contains("cards on paper: NOT TESTED, the server prints none: set a public address"), "\(text)")
        #expect(!text.contains("times stamped"), "\(text)")
        #expect(text.hasSuffix("\nno rule violated; cards on paper were not tested"), "\(text)")
    }

    @Test("A run that the server did not survive names the second of the last answer, and does not claim that the final checks were made")
    func stopped() {
        let text = Self.report(stop: LoadReport.Stop(second: 4.25, reason: "the server stopped answering")).text
        #expect(text.contains("THE RUN WAS NOT COMPLETED: the last answer came at second 4.2: the server stopped answering"), "\(text)")
        #expect(text.hasSuffix("no rule violated until then; what is checked at the end was not"), "\(text)")
    }

    @Test("The JSON has each number of the table's head by its meaning, and the row of all routes")
    func json() throws {
        let json = try #require(try JSONSerialization.jsonObject(with: Data(Self.report().json.utf8)) as? [String: Any])
        let head = ["seconds": 10, "answers": 20, "rate": 2, "retries": 6, "codesEntered": 5, "cards": 4, "accounts": 3, "shops": 1]
        for (name, number) in head { #expect(json[name] as? Int == number, "\(name)") }
        #expect((json["allRoutes"] as? [String: Any])?["name"] as? String == "the mix")
    }

    private static func report(papersUntested: String? = nil, stop: LoadReport.Stop? = nil) -> LoadReport {
        let figures = Measurements().figures
        return LoadReport(
            seconds: 10, answers: 20, rate: 2, retries: 6, codesEntered: 5, papersStamped: 3, papersTaken: 2, cards: 4, accounts: 3,
            shops: 1, branches: 0, atBranches: PlaceSums(), lanes: 1, seed: 1, allRoutes: figures.allRoutes,
            routes: figures.routes, violations: 0, firstViolations: [], papersUntested: papersUntested, stop: stop)
    }
}
