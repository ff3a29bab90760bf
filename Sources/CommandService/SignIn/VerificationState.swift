import Loyalty

/// A code that is out to a phone.
struct PendingCode {
    let code: String
    /// By the steady clock.
    let endsAt: Instant
    /// By the clock that tells the time of day, as it was answered.
    let expiresAt: Instant
    /// When the newest message with it left, by the steady clock; nil where it could not be sent.
    var sentAt: Instant?
    /// The first networks that asked for it.
    var askers: [SignInNetwork]
    /// Wrong codes by network. Strangers' purses bound how many networks there are.
    var wrong: [SignInNetwork: Int] = [:]

    mutating func addAsker(_ network: SignInNetwork) {
        if askers.count < Limits.askersMax, !askers.contains(network) { askers.append(network) }
    }
}

/// The state that ``Verifications`` guards with its lock, and the rules of who may try a code.
struct VerificationState {
    /// How a network stands to a code.
    private enum Standing { case known, asker, stranger }

    /// The numbers whose codes end next come first. All codes live equally long, so this is the order in which they were made.
    private struct Queue {
        private var items: [(phone: E164Number, endsAt: Instant)] = []
        private var first = 0

        var count: Int { items.count - first }
        var next: (phone: E164Number, endsAt: Instant)? { first < items.count ? items[first] : nil }

        mutating func append(_ phone: E164Number, _ endsAt: Instant) { items.append((phone, endsAt)) }

        mutating func removeNext() {
            first += 1
            guard first > 1_024, first * 2 > items.count else { return }
            items.removeFirst(first)
            first = 0
        }
    }

    var pending: [E164Number: PendingCode] = [:]
    /// Every entry of `pending`, and some that were spent since.
    private var queue = Queue()
    private let pendingMax: Int
    /// Networks from which a number signed in, newest first.
    private var known = GenerationalCache<E164Number, [SignInNetwork]>(limit: Limits.signInKeysMax)
    /// Wrong codes of strangers, by number.
    private var strangers = Allowances<E164Number>(
        Allowance(Limits.strangerGuessesPerNumber, perSeconds: Limits.daySeconds), keysMax: Limits.signInKeysMax)
    /// Wrong codes of strangers, by network, over all numbers.
    private var networks = Allowances<SignInNetwork>(Limits.strangerGuessesPerNetwork, keysMax: Limits.signInKeysMax)
    /// Wrong codes of everybody: the breaker.
    private var failures = Allowances<Bool>(Allowance(Limits.wrongCodesPerHour, perSeconds: 3_600), keysMax: 2)
    /// Whether so many codes were wrong lately that strangers have to wait.
    mutating func isBreakerOpen(at now: Instant) -> Bool { failures.secondsToWait(true, at: now) != nil }

    /// Tries of a network while the breaker is open.
    private var pace = Allowances<SignInNetwork>(Limits.slowTries, keysMax: Limits.signInKeysMax)

    init(pendingMax: Int) {
        self.pendingMax = pendingMax
    }

    // MARK: Codes

    mutating func insert(_ code: PendingCode, for phone: E164Number) {
        while queue.count >= pendingMax, let oldest = queue.next { drop(oldest) }
        pending[phone] = code
        queue.append(phone, code.endsAt)
    }

    mutating func forgetEnded(at now: Instant) {
        while let oldest = queue.next, now >= oldest.endsAt { drop(oldest) }
    }

    private mutating func drop(_ oldest: (phone: E164Number, endsAt: Instant)) {
        queue.removeNext()
        // Unless it was spent, and the phone has another by now.
        if pending[oldest.phone]?.endsAt == oldest.endsAt { pending[oldest.phone] = nil }
    }

    // MARK: Known networks

    mutating func isKnown(_ network: SignInNetwork, to phone: E164Number) -> Bool { known[phone]?.contains(network) ?? false }

    mutating func remember(_ network: SignInNetwork, of phone: E164Number) {
        let others = (known[phone] ?? []).filter { $0 != network }
        known[phone] = Array(([network] + others).prefix(Limits.knownNetworksMax))
    }

    // MARK: Tries

    mutating func spend(
        _ code: String, for phone: E164Number, from network: SignInNetwork, at now: Instant
    ) -> Result<Bool, VerificationRefusal> {
        forgetEnded(at: now)
        let standing = standing(of: network, to: phone)
        let breaker = failures.secondsToWait(true, at: now)
        if let seconds = secondsToWait(standing, phone, network, breaker, at: now) { return .failure(.wait(seconds: seconds)) }
        guard let entry = pending[phone] else {
            countWrong(standing, nil, network, at: now)
            return .success(false)
        }
        let triesMax =
            switch standing {
            case .known: Verifications.triesMax
            case .asker: breaker == nil ? Verifications.triesMax : Limits.slowAskerTriesMax
            case .stranger: Limits.strangerTriesMax
            }
        guard entry.wrong[network, default: 0] < triesMax else { return .failure(.wait(seconds: entry.endsAt.secondsSince(now))) }
        guard equalInConstantTime(entry.code, code) else {
            pending[phone]?.wrong[network, default: 0] += 1
            countWrong(standing, phone, network, at: now)
            return .success(false)
        }
        pending[phone] = nil
        remember(network, of: phone)
        return .success(true)
    }

    private mutating func standing(of network: SignInNetwork, to phone: E164Number) -> Standing {
        if isKnown(network, to: phone) { return .known }
        return pending[phone]?.askers.contains(network) == true ? .asker : .stranger
    }

    private mutating func secondsToWait(
        _ standing: Standing, _ phone: E164Number, _ network: SignInNetwork, _ breaker: Int64?, at now: Instant
    ) -> Int64? {
        if standing == .stranger {
            let waits = [breaker, strangers.secondsToWait(phone, at: now), networks.secondsToWait(network, at: now)]
            return waits.compactMap { $0 }.max()
        }
        guard breaker != nil else { return nil }
        if let seconds = pace.secondsToWait(network, at: now) { return seconds }
        pace.take(network, at: now)
        return nil
    }

    /// - Parameter phone: nil where it had no code, and nothing could be guessed of it.
    private mutating func countWrong(_ standing: Standing, _ phone: E164Number?, _ network: SignInNetwork, at now: Instant) {
        // A number without a code has nothing to guess, and must not slow everybody else down.
        if phone != nil, failures.secondsToWait(true, at: now) == nil { failures.take(true, at: now) }
        guard standing == .stranger else { return }
        networks.take(network, at: now)
        if let phone { strangers.take(phone, at: now) }
    }
}

extension Instant {
    /// Whole seconds since an earlier moment, rounded up.
    fileprivate func secondsSince(_ earlier: Instant) -> Int64 { (microseconds - earlier.microseconds + 999_999) / 1_000_000 }
}
