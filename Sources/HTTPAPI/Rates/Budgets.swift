import Caches
import CommandService
import Loyalty
import Synchronization

/// Acts or failures that an account may have a limited number of in a period.
enum AccountBudget: Int, CaseIterable {
    /// Also wrong codes of paper cards.
    case stampCodes
    case redemptionCodes
    /// A program could fill the log.
    case feedback
    /// Each upload costs a second of decoding, and disk space for a day.
    case pictures
    /// Each costs up to a second of decoding.
    case scans
    case passwordChanges
    /// Each reads the account's whole history.
    case exports
    case replies
    /// Each is shown to every visitor, and adds a permanent event.
    case reviews
    /// Each goes to every customer of a shop.
    case notices
    /// Each adds a permanent event.
    case favoriteChanges
    /// Each adds a permanent event.
    case profileEdits
    /// Each adds a permanent event.
    case muteChanges
    /// Each adds a permanent event, and saving one counts those of before. Enough to look at fifty searches ten times a day.
    case searchChanges
    /// Each adds a permanent event and reaches a person who did not ask for it.
    case invitations
    /// Unknown numbers that get stamps from a member of staff: enough for a busy day's new customers.
    case strangerStamps
    /// One every second and a half: each may add a hundred events to the history of somebody who did not ask.
    case numberStamps
    /// Also prints of paper cards. A strip adds up to a hundred events.
    case strips
    /// Also those drawn again for a retry.
    case sheets
    /// Also wrong codes. Each change adds a permanent event.
    case phoneChanges
    /// Each adds a permanent event; the limit bounds the harm of a misused role.
    case operatorActs
    /// Numbers that a member of staff looks up. Each adds a permanent event.
    case customerSearches
    case whatIfs

    private static let daySeconds: Int64 = 86_400

    /// Per ten minutes or a day.
    var limit: (most: Int, seconds: Int64) {
        switch self {
        case .stampCodes, .redemptionCodes, .feedback, .passwordChanges: (Limits.failuresMax, Limits.failureWindowSeconds)
        case .notices, .exports: (10, Limits.failureWindowSeconds)
        case .sheets: (20, Limits.failureWindowSeconds)
        case .pictures, .reviews: (30, Limits.failureWindowSeconds)
        case .profileEdits, .muteChanges, .strips, .operatorActs, .customerSearches, .whatIfs: (60, Limits.failureWindowSeconds)
        case .scans: (120, Limits.failureWindowSeconds)
        case .replies: (200, Limits.failureWindowSeconds)
        case .favoriteChanges: (300, Limits.failureWindowSeconds)
        case .numberStamps: (400, Limits.failureWindowSeconds)
        case .phoneChanges: (Limits.failuresMax, Self.daySeconds)
        case .invitations: (60, Self.daySeconds)
        case .strangerStamps: (300, Self.daySeconds)
        case .searchChanges: (500, Self.daySeconds)
        }
    }
}

/// The budgets of accounts and of other keys.
struct Budgets: Sendable {
    private let accounts: [FailureBudget<AccountID>]
    /// Each request lengthens the card's history.
    let redemptionRequests: FailureBudget<CardID>
    let refreshes: FailureBudget<SessionID>
    /// Sign-in requests that repeat an idempotency key with other content. Each may be a guess at a code or password.
    let keyGuesses: FailureBudget<E164Number>
    /// By IPv4 address or IPv6 /48.
    let erasures: FailureBudget<ClientAddress>
    let passwords: PasswordBudget

    init(clock: any Clock) {
        accounts = AccountBudget.allCases.map { FailureBudget(clock: clock, failuresMax: $0.limit.most, windowSeconds: $0.limit.seconds) }
        redemptionRequests = FailureBudget(clock: clock, failuresMax: Limits.redemptionRequestsMax)
        refreshes = FailureBudget(clock: clock, failuresMax: Limits.refreshesMax)
        keyGuesses = FailureBudget(clock: clock)
        erasures = FailureBudget(clock: clock)
        passwords = PasswordBudget(clock: clock)
    }

    subscript(_ budget: AccountBudget) -> FailureBudget<AccountID> { accounts[budget.rawValue] }
}

/// Allows each key a few failures in a period, so that codes cannot be guessed.
///
/// - ``take(_:)`` records a failure with the check; ``forgive(_:)`` takes it back.
/// - ``begin(_:)`` and ``end(_:failed:)`` enclose an attempt. A key runs only as many at once as it has failures left, so concurrent
///   attempts cannot guess more often. Attempts that race for one valid code need not count as failures.
///
/// Failures are in memory of bounded size and lost at a restart. Waiting attempts never exceed open requests. Times are of the steady
/// clock. Any task may call.
final class FailureBudget<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// Oldest first, at most `failuresMax`.
        var failures: GenerationalCache<Key, [Instant]>
        var underWay: [Key: Int] = [:]
        /// The end of another attempt of the key wakes them.
        var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state: Mutex<State>
    private let clock: any Clock
    private let failuresMax: Int
    private let windowSeconds: Int64

    init(
        clock: any Clock, failuresMax: Int = Limits.failuresMax, windowSeconds: Int64 = Limits.failureWindowSeconds,
        keysMax: Int = Limits.budgetedKeysMax
    ) {
        self.clock = clock
        self.failuresMax = failuresMax
        self.windowSeconds = windowSeconds
        state = Mutex(State(failures: GenerationalCache(limit: keysMax)))
    }

    /// Records a failure of the key, unless it has too many.
    ///
    /// - Throws: `rateLimited` with the seconds until the oldest failure is forgotten.
    func take(_ key: Key) throws(Problem) {
        let now = clock.steady()
        let wait = state.withLock { state in
            let wait = secondsToWait(key, in: &state, at: now)
            if wait == nil { count(key, in: &state, at: now) }
            return wait
        }
        if let wait { throw Problem(.rateLimited, retryAfterSeconds: wait) }
    }

    /// Takes back the newest failure, because the attempt succeeded.
    func forgive(_ key: Key) {
        state.withLock { state in
            guard var failures = state.failures[key], failures.popLast() != nil else { return }
            state.failures[key] = failures.isEmpty ? nil : failures
        }
    }

    /// Begins an attempt, which MUST be ended with ``end(_:failed:)``. Waits while running attempts could use up the failures left.
    ///
    /// - Throws: `rateLimited`; then nothing was begun.
    func begin(_ key: Key) async throws(Problem) {
        while true {
            let now = clock.steady()
            let (wait, isBegun) = state.withLock { state -> (Int64?, Bool) in
                if let wait = secondsToWait(key, in: &state, at: now) { return (wait, false) }
                guard hasRoom(key, in: &state, at: now) else { return (nil, false) }
                state.underWay[key, default: 0] += 1
                return (nil, true)
            }
            if let wait { throw Problem(.rateLimited, retryAfterSeconds: wait) }
            if isBegun { return }
            await turn(of: key)
        }
    }

    func end(_ key: Key, failed: Bool) {
        let now = clock.steady()
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if failed { count(key, in: &state, at: now) }
            let left = (state.underWay[key] ?? 1) - 1
            state.underWay[key] = left > 0 ? left : nil
            guard let waiting = state.waiting[key] else { return [] }
            // Without failures left, all waiting attempts resume to be refused.
            let free = failuresMax - failures(of: key, in: &state, at: now)
            let turns = free <= 0 ? waiting.count : min(max(free - left, 0), waiting.count)
            state.waiting[key] = turns < waiting.count ? Array(waiting[turns...]) : nil
            return Array(waiting[..<turns])
        }
        for continuation in woken { continuation.resume() }
    }

    private func turn(of key: Key) async {
        await withCheckedContinuation { continuation in
            let now = clock.steady()
            let mustWait = state.withLock { state in
                // The running attempts may have ended since the first check, and nothing would wake this one.
                guard !hasRoom(key, in: &state, at: now), state.underWay[key] != nil else { return false }
                state.waiting[key, default: []].append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    private func hasRoom(_ key: Key, in state: inout State, at now: Instant) -> Bool {
        failures(of: key, in: &state, at: now) + (state.underWay[key] ?? 0) < failuresMax
    }

    private func failures(of key: Key, in state: inout State, at now: Instant) -> Int {
        state.failures[key]?.count { now < $0.advanced(bySeconds: windowSeconds) } ?? 0
    }

    private func secondsToWait(_ key: Key, in state: inout State, at now: Instant) -> Int64? {
        guard failures(of: key, in: &state, at: now) >= failuresMax, let oldest = state.failures[key]?.first else {
            return nil
        }
        return (oldest.advanced(bySeconds: windowSeconds).microseconds - now.microseconds + 999_999) / 1_000_000
    }

    private func count(_ key: Key, in state: inout State, at now: Instant) {
        state.failures[key] = ((state.failures[key] ?? []) + [now]).suffix(failuresMax)
    }
}

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
