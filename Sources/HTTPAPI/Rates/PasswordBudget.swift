import CommandService
import Composition
import Loyalty
import Synchronization

/// The budget for sign-ins by password: failures and hashes.
///
/// Wrong passwords are counted in three ways. First, by number and network together, so that strangers cannot lock the holder out. Second,
/// by address, which a household or a company shares. Third, by number over all networks, except those from which the holder signed in
/// recently. Hashes are counted whether or not the password was right: each hash occupies a core for some tenths of a second. The counts
/// are kept in memory of bounded size, like those of ``FailureBudget`` and `Allowances`. May be used concurrently.
final class PasswordBudget: Sendable {
    /// A sign-in attempt: the phone number, and the client.
    struct Attempt: Sendable {
        let phone: E164Number
        /// The client's address; nil if it is not limited.
        let address: ClientAddress?
        /// Whether the number's holder signed in from that network recently.
        let isKnown: Bool

        var network: SignInNetwork { address?.site ?? .unknown }
    }

    private struct Place: Hashable {
        let phone: E164Number
        let network: SignInNetwork
    }

    private struct Hashes {
        var addresses = Allowances<ClientAddress>(Limits.hashesPerAddress, keysMax: Limits.budgetedKeysMax)
        /// Each of these allowances has only one key. Holders on known networks are counted separately, so that strangers use up only their
        /// own share.
        var holders = Allowances<Bool>(Limits.hashesOfHolders, keysMax: 1)
        var strangers = Allowances<Bool>(Limits.hashesOfStrangers, keysMax: 1)

        mutating func secondsToWait(isKnown: Bool, tokens: Int, at now: Instant) -> Int64? {
            isKnown ? holders.secondsToWait(true, tokens: tokens, at: now) : strangers.secondsToWait(false, tokens: tokens, at: now)
        }

        mutating func take(isKnown: Bool, tokens: Int, at now: Instant) {
            if isKnown { holders.take(true, tokens: tokens, at: now) } else { strangers.take(false, tokens: tokens, at: now) }
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

    /// Counts a failure before the result is known, so that concurrent guesses do not evade the budget.
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

    /// Takes the failure back, because the attempt succeeded, or revealed nothing about the password.
    func forgive(_ attempt: Attempt) {
        places.forgive(Place(phone: attempt.phone, network: attempt.network))
        if let address = attempt.address { addresses.forgive(address) }
        if !attempt.isKnown { phones.forgive(attempt.phone) }
    }

    /// Counts hashes before they are computed. They are never given back.
    ///
    /// - Parameter isKnown: whether the account's holder is signed in, or signed in from that network recently.
    /// - Throws: `rateLimited` if the address has used up its share, `overloaded` if the service has.
    func takeHashes(_ count: Int = 1, _ address: ClientAddress?, isKnown: Bool) throws(Problem) {
        let now = clock.steady()
        let problem = hashes.withLock { hashes -> Problem? in
            if let address, let seconds = hashes.addresses.secondsToWait(address, tokens: count, at: now) {
                return Problem(.rateLimited, retryAfterSeconds: seconds)
            }
            if let seconds = hashes.secondsToWait(isKnown: isKnown, tokens: count, at: now) {
                return Problem(.overloaded, retryAfterSeconds: seconds)
            }
            if let address { hashes.addresses.take(address, tokens: count, at: now) }
            hashes.take(isKnown: isKnown, tokens: count, at: now)
            return nil
        }
        if let problem { throw problem }
    }
}
