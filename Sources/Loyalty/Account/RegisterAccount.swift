/// Register the holder of a phone; the account that has it already is left as it is.
public struct RegisterAccount: Hashable, Sendable {
    public let account: AccountID
    public let phone: Secret
    public let sealedPhone: Sealed

    public init(account: AccountID, phone: Secret, sealedPhone: Sealed) {
        self.account = account
        self.phone = phone
        self.sealedPhone = sealedPhone
    }
}
