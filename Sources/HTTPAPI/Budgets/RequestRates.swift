/// How many requests an account and an address may send.
public struct RequestRates: Hashable, Sendable {
    /// Of whoever is signed in.
    public let account: RequestRate
    /// Of everybody behind one address, signed in or not.
    public let address: RequestRate

    /// Of everybody behind one address, for what is looked at by machines: proofs, health, metrics.
    public let machine: RequestRate

    /// What the service allows where nobody says otherwise.
    public static let standard = RequestRates(
        account: Limits.accountRate, address: Limits.addressRate, machine: Limits.machineRate)

    public init(account: RequestRate, address: RequestRate, machine: RequestRate) {
        (self.account, self.address, self.machine) = (account, address, machine)
    }
}
