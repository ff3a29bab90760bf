/// What registering an account depends on.
public struct RegisterAccountSituation: Hashable, Sendable {
    /// Whether erased or not.
    public let accountWithPhone: Account?
    public let accountWithID: Account?

    public init(accountWithPhone: Account?, accountWithID: Account?) {
        self.accountWithPhone = accountWithPhone
        self.accountWithID = accountWithID
    }
}
