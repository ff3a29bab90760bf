/// What issuing a stamp code depends on.
public struct IssueCodeSituation: Hashable, Sendable {
    public let actor: Account?
    public let campaign: Campaign?
    /// The campaign's.
    public let shop: Shop?
    public let codeWithID: Code?
    public let codeWithSecret: Code?

    public init(actor: Account?, campaign: Campaign?, shop: Shop?, codeWithID: Code?, codeWithSecret: Code?) {
        self.actor = actor
        self.campaign = campaign
        self.shop = shop
        self.codeWithID = codeWithID
        self.codeWithSecret = codeWithSecret
    }
}
