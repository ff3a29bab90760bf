internal import CommandService
internal import Loyalty
internal import LoyaltyCodec

/// What one visit is: the owner issues a code, the customer enters it, both at the visit's time.
///
/// The ids follow from the marks, so that the code is known before it is issued and both commands can be under way at once.
struct VisitCommands: Sendable {
    let visit: Visit
    let shop: OpenedShop
    let issuer: Caller
    let customer: Caller
    let issue: Command
    let stamp: Command
    private let parts: [String]

    /// - Parameter occurrence: which of the equal rows this is, from 1: two cups in one minute are two visits.
    init(
        _ visit: Visit, by account: AccountID, named name: String, at shop: OpenedShop, occurrence: Int, keys: ImportKeys
    ) {
        self.visit = visit
        self.shop = shop
        parts = [shop.value, name, String(visit.microseconds), String(occurrence)]
        let issueMark = keys.mark(of: shop.owner, parts + ["issue"])
        let stampMark = keys.mark(of: account, parts + ["stamp"])
        issuer = Caller(account: shop.owner, mark: issueMark)
        customer = Caller(account: account, mark: stampMark)
        let code: CodeID = keys.id(issueMark, at: visit.time)
        let secret = keys.keys.secret(ofStampCode: keys.keys.stampCode(for: code, attempt: 0))
        let campaign = shop.campaign.campaign
        issue = .issueCode(
            IssueCode(
                code: code, campaign: campaign, secret: secret, attempt: 0, stamps: 1,
                validFor: Loyalty.Limits.codeValiditySecondsDefault))
        stamp = .stamp(Stamp(secret: secret, campaign: campaign, firstCard: keys.id(stampMark, at: visit.time)))
    }

    /// Who asks for the redemption of the card that this visit filled.
    func redeemer(_ keys: ImportKeys) -> Caller {
        Caller(account: customer.account, mark: keys.mark(of: customer.account, parts + ["request"]))
    }

    /// Who hands out the reward.
    func redeeming(_ keys: ImportKeys) -> Caller {
        Caller(account: issuer.account, mark: keys.mark(of: issuer.account, parts + ["redeem"]))
    }
}
