import CommandService
import Composition
import Loyalty
import Synchronization

/// The budget for passwords. It limits wrong passwords at sign-in, and the hashes that are computed at sign-ins and password changes.
///
/// Wrong passwords are counted in three ways. First, by phone number and network together, so that strangers cannot lock the number's
/// holder out. Second, by the client's address, which a household or a company may share. Third, by phone number over all networks, except
/// those from which the holder signed in recently. Hashes are counted whether or not the password was right: each hash occupies a core for
/// some tenths of a second. Each holder (see ``Holder``) may use only a share of the hashes, so that one account cannot use up the hashes
/// of all holders. The counts are kept in memory of bounded size, like those of ``FailureBudget`` and `Allowances`. May be used
/// concurrently.
final class PasswordBudget: Sendable {
    /// A sign-in attempt: the phone number, and the client.
    struct Attempt: Sendable {
        let phone: E164Number
        /// The client's address; nil if this address is not limited.
        let address: ClientAddress?
        /// Whether the holder of the phone number signed in from the client's network recently.
        let isKnown: Bool

        var network: SignInNetwork { address?.site ?? .unknown }
    }

    /// An account holder whom the service knows by a recent sign-in from the same network, or by an open session.
    enum Holder: Hashable, Sendable {
        /// The holder at a sign-in, named by the phone number, because the account is not known yet.
        case phone(E164Number)
        /// A signed-in holder who changes the password.
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
        /// The allowances of the whole service, one for holders (see ``Holder``) and one for strangers. Each has only one key. The two are
        /// separate, so that strangers cannot use up the hashes of holders.
        var holders = Allowances<Bool>(Limits.hashesOfHolders, keysMax: 1)
        var strangers = Allowances<Bool>(Limits.hashesOfStrangers, keysMax: 1)

        /// Seconds until the client and the holder may have `tokens` hashes computed; nil if they may now.
        mutating func secondsToWait(_ address: ClientAddress?, _ holder: Holder?, tokens: Int, at now: Instant) -> Int64? {
            if let address, let seconds = addresses.secondsToWait(address, tokens: tokens, at: now) { return seconds }
            if let network = address?.network, let seconds = networks.secondsToWait(network, tokens: tokens, at: now) { return seconds }
            return holder.flatMap { eachHolder.secondsToWait($0, tokens: tokens, at: now) }
        }

        /// Seconds until the service has `tokens` hashes left for holders, or for strangers; nil if it has them now.
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

    /// Counts a failure before the password is checked, so that concurrent guesses cannot exceed the budget.
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

    /// Takes back the failure that ``take(_:)`` counted, because the attempt succeeded, or revealed nothing about the password.
    func forgive(_ attempt: Attempt) {
        places.forgive(Place(phone: attempt.phone, network: attempt.network))
        if let address = attempt.address { addresses.forgive(address) }
        if !attempt.isKnown { phones.forgive(attempt.phone) }
    }

    /// Counts hashes before they are computed. The count is never taken back.
    ///
    /// - Parameter holder: the account's holder, who is signed in, or signed in from the client's network recently; nil for a stranger.
    ///   Hashes for strangers are not counted by phone number, because a stranger could then lock the holder out.
    /// - Throws: `rateLimited` if the address, its network or the holder has too few hashes left, `overloaded` if the whole service has too
    ///   few left.
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
