import CommandService

/// What may fail on the way to an account: so often for one phone, and more often for one address, since a household or a company
/// shares it.
struct PhoneBudget: Sendable {
    private let phones: FailureBudget<E164Number>
    private let addresses: FailureBudget<ClientAddress>

    init(clock: any Clock) {
        phones = FailureBudget(clock: clock)
        addresses = FailureBudget(clock: clock, failuresMax: Limits.failuresPerAddressMax)
    }

    /// Counts an attempt before it is known to be wrong: many at once are no way around the budget.
    ///
    /// - Parameter address: nil where it is not limited.
    /// - Throws: `rateLimited`; then nothing is counted, for neither of the two.
    func take(_ phone: E164Number, _ address: ClientAddress?) throws(Problem) {
        try phones.take(phone)
        guard let address else { return }
        do throws(Problem) {
            try addresses.take(address)
        } catch {
            phones.forgive(phone)
            throw error
        }
    }

    /// The attempt went well.
    func forgive(_ phone: E164Number, _ address: ClientAddress?) {
        phones.forgive(phone)
        if let address { addresses.forgive(address) }
    }
}
