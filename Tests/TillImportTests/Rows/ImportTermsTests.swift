import Loyalty
import Testing
@testable import TillImport

@Suite struct ImportTermsTests {
    @Test(
        "A name of an import that is blank, has a line break or is longer than 100 bytes is refused",
        arguments: ["", " ", "two\nlines", String(repeating: "a", count: 101), String(repeating: "茶", count: 34)])
    func unusableName(_ name: String) {
        #expect(throws: ImportError.self) { try ImportTerms(name: name, goal: 10, redeems: false) }
    }

    @Test("A goal that is not from 1 to 50 is refused", arguments: [0, -1, 51])
    func goalRange(_ goal: Int) {
        #expect(throws: ImportError.unusableGoal(goal, allowed: 1...50)) { try ImportTerms(name: "Corner", goal: goal, redeems: false) }
    }

    @Test("The identities of customers and owners never collide, even if names contain separators")
    func noCollision() throws {
        let names = ["A", "A:customer", "A%3Acustomer", "A:owner:"]
        let values = ["", "B", ":B", "owner:B", "customer:B", "%3A"]
        var identities: Set<String> = []
        for name in names {
            let terms = try ImportTerms(name: name, goal: 10, redeems: false)
            for value in values { identities.formUnion([terms.customerIdentity(of: value), terms.ownerIdentity(of: value)]) }
        }
        #expect(identities.count == 2 * names.count * values.count)
    }

    @Test("A shop of the file has the import's name, followed by its own name if it has one")
    func shopNames() throws {
        let terms = try ImportTerms(name: "Corner", goal: 10, redeems: false)
        #expect(terms.shopName(of: "") == "Corner")
        #expect(terms.shopName(of: "Kallio") == "Corner Kallio")
    }

    @Test("A customer's or a shop's name that is too long is reported, and so is a shop's name with a line break")
    func overlongNames() throws {
        let terms = try ImportTerms(name: "Corner", goal: 10, redeems: false)
        func row(_ customer: String?, _ shop: String) -> VisitRow {
            VisitRow(time: Instant(microseconds: 0), customer: customer, shop: shop, location: nil)
        }
        #expect(terms.complaint(about: row("guest", "Kallio")) == nil)
        #expect(terms.complaint(about: row(nil, "Kallio")) == nil)
        #expect(terms.complaint(about: row(String(repeating: "g", count: 200), "Kallio"))?.contains("too long") == true)
        #expect(terms.complaint(about: row("guest", String(repeating: "s", count: 100)))?.contains("shop's name") == true)
        #expect(terms.complaint(about: row("guest", "a\nb")) != nil)
    }
}
