/// How many requests an account and an address may send.
public struct RequestRates: Hashable, Sendable {
    /// Of whoever is signed in.
    public let account: RequestRate
    /// Of everybody behind one address, signed in or not.
    public let address: RequestRate

    /// What the service allows where nobody says otherwise.
    public static let standard = RequestRates(account: Limits.accountRate, address: Limits.addressRate)

    public init(account: RequestRate, address: RequestRate) {
        (self.account, self.address) = (account, address)
    }
}
