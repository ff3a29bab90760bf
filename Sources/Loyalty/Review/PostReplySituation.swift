/// What posting a reply depends on.
public struct PostReplySituation: Hashable, Sendable {
    public let actor: Account?
    public let parent: Review?
    public let reviewWithID: Review?

    public init(actor: Account?, parent: Review?, reviewWithID: Review?) {
        self.actor = actor
        self.parent = parent
        self.reviewWithID = reviewWithID
    }
}
