/// What giving feedback depends on.
public struct GiveFeedbackSituation: Hashable, Sendable {
    public let actor: Account?

    public init(actor: Account?) {
        self.actor = actor
    }
}
