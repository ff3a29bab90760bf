/// A person had themselves erased: the certificate that from here on nobody can read what was sealed for them.
///
/// The account's key is destroyed after this is durable. Its cards, stamps and ratings stay, and name nobody.
public struct AccountErased: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}
