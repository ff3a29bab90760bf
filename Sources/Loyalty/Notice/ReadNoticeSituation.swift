/// What reading a notice depends on.
public struct ReadNoticeSituation: Hashable, Sendable {
    public let actor: Account?
    public let notice: Notice?
    /// Whether the actor has read it before.
    public let isRead: Bool

    public init(actor: Account?, notice: Notice?, isRead: Bool) {
        self.actor = actor
        self.notice = notice
        self.isRead = isRead
    }
}
