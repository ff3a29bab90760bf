/// What posting a notice depends on.
public struct PostNoticeSituation: Hashable, Sendable {
    public let actor: Account?
    /// The audience's; `nil` for a notice to everybody, too.
    public let shop: Shop?
    public let noticeWithID: Notice?

    public init(actor: Account?, shop: Shop?, noticeWithID: Notice?) {
        self.actor = actor
        self.shop = shop
        self.noticeWithID = noticeWithID
    }
}
