import CommandService
import Composition
import Loyalty
import Synchronization

/// Limits wrong passwords, and the hashes of sign-ins and password changes. Any task may call; the memory is bounded.
///
/// Wrong passwords count by number and network, so that strangers cannot lock the holder out; by address, which a household may share; and
/// by number over all networks where the holder did not sign in recently. Hashes count always, because each occupies a core for tenths of a
/// second; each holder has only a share.
final class PasswordBudget: Sendable {
    struct Attempt: Sendable {
        let phone: E164Number
        /// Nil if not limited.
        let address: ClientAddress?
        /// Whether the number's holder signed in from this network recently.
        let isKnown: Bool

        var network: SignInNetwork { address?.site ?? .unknown }
    }

    /// Known by a recent sign-in from the same network, or by an open session.
    enum Holder: Hashable, Sendable {
        /// The account is not known yet.
        case phone(E164Number)
        case account(AccountID)
    }

    private struct Place: Hashable {
        let phone: E164Number
        let network: SignInNetwork
    }

    private struct Hashes {
        var addresses = Allowances<ClientAddress>(Limits.hashesPerAddress, keysMax: Limits.budgetedKeysMax)
        var networks = Allowances<ClientAddress>(Limits.hashesPerNetwork, keysMax: Limits.budgetedKeysMax)
        var eachHolder = Allowances<Holder>(Limits.hashesPerHolder, keysMax: Limits.budgetedKeysMax)
        /// The whole service's allowances, separate so that strangers cannot use up the hashes of holders.
        var holders = Allowances<Bool>(Limits.hashesOfHolders, keysMax: 1)
        var strangers = Allowances<Bool>(Limits.hashesOfStrangers, keysMax: 1)

        mutating func secondsToWait(_ address: ClientAddress?, _ holder: Holder?, tokens: Int, at now: Instant) -> Int64? {
            if let address, let seconds = addresses.secondsToWait(address, tokens: tokens, at: now) { return seconds }
            if let network = address?.network, let seconds = networks.secondsToWait(network, tokens: tokens, at: now) { return seconds }
            return holder.flatMap { eachHolder.secondsToWait($0, tokens: tokens, at: now) }
        }

        mutating func secondsToWait(isKnown: Bool, tokens: Int, at now: Instant) -> Int64? {
            isKnown ? holders.secondsToWait(true, tokens: tokens, at: now) : strangers.secondsToWait(false, tokens: tokens, at: now)
        }

        mutating func take(_ address: ClientAddress?, _ holder: Holder?, tokens: Int, at now: Instant) {
            if let address { addresses.take(address, tokens: tokens, at: now) }
            if let network = address?.network { networks.take(network, tokens: tokens, at: now) }
            guard let holder else { return strangers.take(false, tokens: tokens, at: now) }
            eachHolder.take(holder, tokens: tokens, at: now)
            holders.take(true, tokens: tokens, at: now)
        }
    }

    private let places: FailureBudget<Place>
    private let phones: FailureBudget<E164Number>
    private let addresses: FailureBudget<ClientAddress>
    private let hashes = Mutex(Hashes())
    private let clock: any Clock

    init(clock: any Clock) {
        self.clock = clock
        places = FailureBudget(clock: clock)
        phones = FailureBudget(clock: clock, failuresMax: Limits.wrongPasswordsPerPhoneMax)
        addresses = FailureBudget(clock: clock, failuresMax: Limits.failuresPerAddressMax)
    }

    /// Counted before the check, so that concurrent guesses cannot exceed the budget.
    ///
    /// - Throws: `rateLimited`; then nothing is counted.
    func take(_ attempt: Attempt) throws(Problem) {
        let place = Place(phone: attempt.phone, network: attempt.network)
        try places.take(place)
        do throws(Problem) {
            if let address = attempt.address { try addresses.take(address) }
        } catch {
            places.forgive(place)
            throw error
        }
        guard !attempt.isKnown else { return }
        do throws(Problem) {
            try phones.take(attempt.phone)
        } catch {
            places.forgive(place)
            if let address = attempt.address { addresses.forgive(address) }
            throw error
        }
    }

    /// For an attempt that succeeded or revealed nothing.
    func forgive(_ attempt: Attempt) {
        places.forgive(Place(phone: attempt.phone, network: attempt.network))
        if let address = attempt.address { addresses.forgive(address) }
        if !attempt.isKnown { phones.forgive(attempt.phone) }
    }

    /// Counts hashes before they are computed, for good.
    ///
    /// - Parameter holder: nil for a stranger, whose hashes are not counted by number, because a stranger could lock the holder out.
    /// - Throws: `rateLimited` if the address, its network or the holder has too few left, `overloaded` if the service has.
    func takeHashes(_ count: Int = 1, _ address: ClientAddress?, for holder: Holder?) throws(Problem) {
        let now = clock.steady()
        let problem = hashes.withLock { hashes -> Problem? in
            if let seconds = hashes.secondsToWait(address, holder, tokens: count, at: now) {
                return Problem(.rateLimited, retryAfterSeconds: seconds)
            }
            if let seconds = hashes.secondsToWait(isKnown: holder != nil, tokens: count, at: now) {
                return Problem(.overloaded, retryAfterSeconds: seconds)
            }
            hashes.take(address, holder, tokens: count, at: now)
            return nil
        }
        if let problem { throw problem }
    }
}
