/// What editing a profile depends on.
public struct EditProfileSituation: Hashable, Sendable {
    public let actor: Account?

    public init(actor: Account?) {
        self.actor = actor
    }
}
