import Loyalty
import Testing

@testable import Archive

/// Rules about phone numbers and suspensions. Each test breaks one rule in a history, and the rule book reports it.
@Suite struct PhoneRulesTests {
    private typealias Step = OfficeRulesTests.Step
    private static let (customer, officer) = (OfficeRulesTests.customer, OfficeRulesTests.member)
    private static let hold: Int64 = 72 * 3_600
    /// The time that `OfficeRulesTests.findings` gives to the first step after its opening events.
    private static let first = Instant(microseconds: 1_700_000_000_000_000).advanced(bySeconds: Int64(OfficeRulesTests.opening.count) + 1)

    private func findings(_ steps: [Step]) -> [String] { OfficeRulesTests().findings(steps) }

    private func changed(_ phone: UInt8, by actor: AccountID = customer, after seconds: Int64 = 1) -> Step {
        Step(actor: actor, event: .phoneChanged(.init(account: Self.customer, sealedPhone: Sealed([phone]))), seconds: seconds)
    }

    private func requested(_ phone: UInt8, holds seconds: Int64 = hold) -> Step {
        Step(
            actor: Self.officer,
            event: .phoneChangeRequested(
                .init(account: Self.customer, sealedPhone: Sealed([phone]), reason: "x", holdsAt: Self.first.advanced(bySeconds: seconds))))
    }

    private func objected(by actor: AccountID = customer, after seconds: Int64 = 1) -> Step {
        Step(actor: actor, event: .phoneChangeEnded(.init(account: Self.customer)), seconds: seconds)
    }

    private func started(_ session: UInt128) -> Step {
        let end = Self.first.advanced(bySeconds: 9_000)
        return Step(
            actor: Self.customer,
            event: .sessionStarted(.init(session: .init(session), account: Self.customer, token: Secret(session), expiresAt: end)))
    }

    private func ended(_ session: UInt128, by actor: AccountID, after seconds: Int64 = 0) -> Step {
        Step(
            actor: actor, event: .sessionEnded(.init(session: .init(session), account: Self.customer, ending: .signedOut)), seconds: seconds
        )
    }

    private var suspended: Step { Step(actor: Self.officer, event: .accountSuspended(.init(account: Self.customer, reason: "x"))) }
    private var reinstated: Step { Step(actor: Self.officer, event: .accountReinstated(.init(account: Self.customer, reason: ""))) }
    private var favored: Step {
        Step(actor: Self.customer, event: .favoriteAdded(.init(account: Self.customer, campaign: OfficeRulesTests.campaign)))
    }

    @Test("Valid histories of phone numbers and suspensions have no findings")
    func legal() {
        #expect(findings([changed(8), requested(9, holds: Self.hold + 1), objected()]) == [])
        #expect(findings([requested(9), changed(9, by: Self.officer, after: Self.hold)]) == [])
        #expect(findings([requested(9), changed(8)]) == [])
        #expect(findings([requested(9), suspended, changed(9, after: Self.hold)]) == [])
        #expect(findings([started(1), suspended, ended(1, by: Self.officer), reinstated, favored]) == [])
        #expect(findings([started(1), started(2), suspended, ended(1, by: Self.officer), ended(2, by: Self.officer)]) == [])
        #expect(findings([Step(actor: Self.officer, event: .accountSearched(.init(account: nil)))]) == [])
    }

    @Test("A number is changed only by its account, or as an operator requested and in time")
    func numbers() {
        #expect(!findings([changed(8, by: Self.officer)]).isEmpty)
        #expect(!findings([requested(9), changed(9, by: Self.officer, after: Self.hold - 1)]).isEmpty)
        #expect(!findings([requested(9), changed(8, by: Self.officer, after: Self.hold)]).isEmpty)
        #expect(!findings([requested(9), objected(), changed(9, by: Self.officer, after: Self.hold)]).isEmpty)
        #expect(!findings([requested(9, holds: Self.hold - 1)]).isEmpty)
    }

    @Test("Only the account's holder may object to a change of number, and only in time")
    func objections() {
        #expect(!findings([objected()]).isEmpty)
        #expect(!findings([requested(9), objected(by: Self.officer)]).isEmpty)
        #expect(!findings([requested(9), objected(after: Self.hold)]).isEmpty)
    }

    @Test("A suspended account does nothing; an account is suspended once, and by somebody else")
    func suspensions() {
        #expect(!findings([suspended, favored]).isEmpty)
        #expect(!findings([suspended, changed(8)]).isEmpty)
        #expect(!findings([requested(9), suspended, changed(8, after: Self.hold)]).isEmpty)
        #expect(!findings([suspended, suspended]).isEmpty)
        #expect(!findings([reinstated]).isEmpty)
        #expect(!findings([Step(actor: Self.customer, event: .accountSuspended(.init(account: Self.customer, reason: "x")))]).isEmpty)
    }

    @Test("Another account may end a session only together with a suspension or a change of number")
    func sessions() {
        #expect(!findings([started(1), ended(1, by: Self.officer)]).isEmpty)
        #expect(!findings([started(1), suspended, ended(1, by: Self.officer, after: 1)]).isEmpty)
        #expect(!findings([started(1), suspended, ended(1, by: OfficeRulesTests.owner)]).isEmpty)
    }

    @Test("A search for an account that never existed is a finding")
    func searches() { #expect(!findings([Step(actor: Self.officer, event: .accountSearched(.init(account: AccountID(88))))]).isEmpty) }
}
