import Loyalty
import Testing
@testable import TillImport

@Suite struct ImportTermsTests {
    @Test(arguments: ["", " ", "two\nlines", String(repeating: "a", count: 101), String(repeating: "茶", count: 34)])
    func anUnusableNameIsRefused(_ name: String) {
        #expect(throws: ImportError.self) { try ImportTerms(name: name, goal: 10, redeems: false) }
    }

    @Test(arguments: [0, -1, 51]) func anUnusableGoalIsRefused(_ goal: Int) {
        #expect(throws: ImportError.unusableGoal(goal, allowed: 1...50)) { try ImportTerms(name: "Corner", goal: goal, redeems: false) }
    }

    @Test func identitiesNeverCollide() throws {
        let names = ["A", "A:customer", "A%3Acustomer", "A:owner:"]
        let values = ["", "B", ":B", "owner:B", "customer:B", "%3A"]
        var identities: Set<String> = []
        for name in names {
            let terms = try ImportTerms(name: name, goal: 10, redeems: false)
            for value in values { identities.formUnion([terms.customerIdentity(of: value), terms.ownerIdentity(of: value)]) }
        }
        #expect(identities.count == 2 * names.count * values.count)
    }

    @Test func aShopOfTheFileIsNamedAfterTheImport() throws {
        let terms = try ImportTerms(name: "Corner", goal: 10, redeems: false)
        #expect(terms.shopName(of: "") == "Corner")
        #expect(terms.shopName(of: "Kallio") == "Corner Kallio")
    }

    @Test func overlongNamesAreReported() throws {
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
