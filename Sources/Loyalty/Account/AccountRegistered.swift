/// A person signed in for the first time.
public struct AccountRegistered: Hashable, Sendable {
    public let account: AccountID
    /// Keyed hash by which the account is found again.
    public let phone: Secret
    public let sealedPhone: Sealed

    public init(account: AccountID, phone: Secret, sealedPhone: Sealed) {
        self.account = account
        self.phone = phone
        self.sealedPhone = sealedPhone
    }
}
