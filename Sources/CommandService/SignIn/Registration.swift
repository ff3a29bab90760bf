public import Loyalty

/// What it takes that there is an account for an identity.
public enum Registration: Sendable {
    /// Nothing: somebody is known by it.
    case known(Account)
    /// This command, by the account itself; its data key is made.
    case new(RegisterAccount)

    /// The account's id, known before it is registered.
    public var account: AccountID {
        switch self {
        case .known(let account): account.id
        case .new(let command): command.account
        }
    }
}
