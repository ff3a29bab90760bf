/// A person changed what they say of themselves. Edits say every field; those of older logs say only what they change.
public struct ProfileEdited: Hashable, Sendable {
    public let account: AccountID
    public let change: ProfileChange

    public init(account: AccountID, change: ProfileChange) {
        self.account = account
        self.change = change
    }
}
