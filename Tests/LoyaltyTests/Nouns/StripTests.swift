import Loyalty
import Testing

/// A strip of codes is issued in one step. Another step destroys the open codes of one member.
@Suite struct StripTests {
    private static func strip(_ count: Int, stamps: Int = 1, secret: (Int) -> Secret = { Secret(100 + UInt128($0)) }) -> Command {
        .issueStrip(
            IssueStrip(
                codes: (0..<count).map { number in
                    IssueCode(
                        code: CodeID(100 + UInt128(number)), campaign: Sample.campaign, secret: secret(number), attempt: 0, stamps: stamps,
                        validFor: 600)
                }))
    }

    private static func issued(_ number: UInt128, stamps: Int = 1) -> LoyaltyEvent {
        Sample.issued(CodeID(100 + number), secret: Secret(100 + number), stamps: stamps)
    }

    @Test("All codes of a strip are issued in one step, up to a hundred")
    func allAreIssuedAtOnce() {
        Scenario.running.when(Self.strip(3), by: Sample.staff).then(Self.issued(0), Self.issued(1), Self.issued(2))
        Scenario.running.when(Self.strip(100), by: Sample.owner).thenAccepted()
    }

    @Test("A strip with a bad count, a bad worth, no permission or an ended campaign issues no code at all")
    func orNone() {
        Scenario.running.when(Self.strip(0), by: Sample.owner).thenInvalid("count")
        Scenario.running.when(Self.strip(101), by: Sample.owner).thenInvalid("count")
        Scenario.running.when(Self.strip(2, stamps: 11), by: Sample.owner).thenInvalid("stamps")
        Scenario.running.when(Self.strip(2), by: Sample.customer).thenRejected(.forbidden)
        Scenario.running.given(Sample.ended()).when(Self.strip(2), by: Sample.owner).thenRejected(.campaignNotRunning)
    }

    @Test("A strip with a repeated or taken secret is rejected")
    func noSecretIsGivenTwice() {
        Scenario.running.when(Self.strip(2, secret: { _ in Secret(7) }), by: Sample.owner).thenRejected(.secretTaken)
        let taken = Scenario.running.given(Sample.issued(CodeID(90), secret: Secret(101)))
        taken.when(Self.strip(2), by: Sample.owner).thenRejected(.secretTaken)
    }

    private static func destroy(of issuer: AccountID, _ codes: [UInt128]) -> Command {
        .destroyCodes(DestroyCodes(shop: Sample.shop, issuer: issuer, codes: codes.map { CodeID(100 + $0) }))
    }

    /// The owner issued codes 0 and 1, of which 1 was used; a member of staff issued code 2.
    private let issuedByTwo = Scenario.running.given(
        Self.issued(0), Self.issued(1), Sample.opened(), Sample.stamped(with: CodeID(101))
    ).given([Self.issued(2)], by: Sample.staff)

    @Test("The owner destroys the open codes of one member, and no used codes or codes of others")
    func oneMember() {
        issuedByTwo.when(Self.destroy(of: Sample.owner, [0, 1, 2, 9]), by: Sample.owner).then(Sample.destroyed(CodeID(100)))
        issuedByTwo.when(Self.destroy(of: Sample.staff, [0, 1, 2]), by: Sample.owner).then(Sample.destroyed(CodeID(102)))
    }

    @Test("Staff destroy only the open codes that they issued themselves")
    func ownAlone() {
        issuedByTwo.when(Self.destroy(of: Sample.staff, [2]), by: Sample.staff).then(Sample.destroyed(CodeID(102)))
        issuedByTwo.when(Self.destroy(of: Sample.owner, [0]), by: Sample.staff).thenRejected(.roleRequired)
        issuedByTwo.when(Self.destroy(of: Sample.customer, [0]), by: Sample.customer).thenRejected(.forbidden)
        issuedByTwo.when(Self.destroy(of: Sample.owner, [0]), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("Expired codes are not destroyed")
    func expiredCodes() {
        issuedByTwo.when(Self.destroy(of: Sample.owner, [0]), by: Sample.owner, at: Sample.after(600)).thenNothing()
    }
}
