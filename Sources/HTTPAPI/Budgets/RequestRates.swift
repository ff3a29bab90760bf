/// How many requests an account and an address may send.
public struct RequestRates: Hashable, Sendable {
    /// The rate of one account.
    public let account: RequestRate
    /// The rate of one address for the API and the pages, whoever is signed in there.
    public let address: RequestRate
    /// The rate of one address for proofs, health and metrics, which machines read.
    public let machine: RequestRate

    /// The default rates.
    public static let standard = RequestRates(
        account: Limits.accountRate, address: Limits.addressRate, machine: Limits.machineRate)

    public init(account: RequestRate, address: RequestRate, machine: RequestRate) {
        (self.account, self.address, self.machine) = (account, address, machine)
    }
}
