internal import CommandService
internal import Loyalty
internal import LoyaltyCodec

/// What one visit is: the owner issues a code, the customer enters it, both at the visit's time; the first time, the customer registers
/// before.
///
/// The ids follow from the marks, so that the code is known before it is issued and both commands can be under way at once.
struct VisitCommands: Sendable {
    /// What a visit is made of.
    enum Step: Hashable, Sendable {
        case register
        case issue
        case stamp
    }

    let visit: Visit
    let shop: OpenedShop
    let issuer: Caller
    let customer: Caller
    /// Where this is the customer's first visit.
    let registration: Command?
    let issue: Command
    let stamp: Command
    private let parts: [String]

    /// - Parameter registration: the command that registers the customer, where nothing before this visit does.
    init(_ waiting: WaitingVisit, by account: AccountID, named name: String, registration: Command?, keys: ImportKeys) {
        let (visit, shop, occurrence) = (waiting.visit, waiting.shop, waiting.occurrence)
        (self.visit, self.shop, self.registration) = (visit, shop, registration)
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

    /// In the order in which the log is to get them.
    var steps: [(step: Step, command: Command, caller: Caller)] {
        let registering = registration.map { (Step.register, $0, Caller(account: customer.account)) }
        return (registering.map { [$0] } ?? []) + [(.issue, issue, issuer), (.stamp, stamp, customer)]
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
