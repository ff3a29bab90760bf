internal import Caches
public import Loyalty
import Synchronization

/// Why no code was made or looked at.
public enum VerificationRefusal: Error, Hashable, Sendable {
    /// Too many messages, or too many wrong codes; worth another try after so many seconds.
    case wait(seconds: Int64)
    /// Messages are not sent to this number's country.
    case notServed
}

/// The six-digit codes that are out to phones, and who may still guess them.
///
/// **Asking.** A code holds ``validSeconds``. Asking again within its life gives the same code and the same end; a message leaves at most
/// once a minute, and only within ``MessageCaps``. So a stranger who asks for somebody's number neither changes the code that was just
/// sent nor floods the phone.
///
/// **Guessing.** A wrong code never spoils the right one. Wrong codes are counted by the network that they come from, and a network
/// stands to a code in one of three ways:
///
/// - *known*: the number signed in from there lately; the last ``Limits/knownNetworksMax`` networks of a number are remembered.
/// - *asker*: one of the first ``Limits/askersMax`` networks that asked for this code.
/// - *stranger*: all others.
///
/// Known networks and askers have ``triesMax`` tries at each code, whatever others do. Strangers have ``Limits/strangerTriesMax`` a
/// network, and share one purse of ``Limits/strangerGuessesPerNumber`` wrong codes a day for each number, another for each network, and
/// the breaker. A purse that is empty makes strangers wait; it never makes a known network or an asker wait. A holder whom strangers got
/// in the way of asks for the next code, becomes an asker of it, and is in.
///
/// **Arithmetic.** One guess at one code is right with probability 10⁻⁶. In any 24 hours, for one number:
///
/// - at most 2 · 8 messages leave for strangers and 2 · 8 for known networks, so at most 32 codes are made;
/// - askers guess at most 32 codes · 3 networks · 5 tries = 480 times;
/// - strangers guess at most 2 · 100 = 200 times, since a purse of 100 refills once a day;
/// - together 680 guesses: 6.8 · 10⁻⁴, below 10⁻³. Somebody inside both of the holder's own networks adds at most 32 · 2 · 5 = 320, which
///   makes 10⁻³.
///
/// **Breaker.** Many numbers together are guarded by the total of wrong codes. Past ``Limits/wrongCodesPerHour`` strangers are refused,
/// askers have one try at each code, and every network may try only at ``Limits/slowTries``, until the failures become fewer: everybody is
/// slowed, and the right code still signs in. So over all numbers at most 25,000 wrong codes a day are looked at while the breaker is
/// closed, and 3 for each code that strangers had made while it is open. Whoever makes the service send all 20,000 messages that may leave
/// in a day guesses 85,000 times, for 0.085 accounts.
///
/// In memory and bounded: codes by ``pendingMax``, the tables by ``Limits/signInKeysMax`` keys in each of two generations. A restart
/// forgets codes, tries and known networks: it costs one more message, never an account. Any task may call.
///
/// Wrong codes are counted by network and never invalidate the right code. Networks that requested a code, and those from which the number
/// signed in recently, have tries of their own; all other networks share one daily budget.
public final class Verifications: Sendable {
    /// Seconds that a code holds.
    public static let validSeconds: Int64 = 300
    /// Wrong codes that a known network or an asker has for each code.
    public static let triesMax = 5
    /// Codes out at once; the oldest gives way.
    public static let pendingMax = 100_000

    /// A code that was asked for.
    public struct Begun: Sendable {
        public let code: String
        /// By the clock that tells the time of day; the same for everybody who asks for this code.
        public let expiresAt: Instant
        /// Whether a message is to be sent; it was counted.
        public let isToBeSent: Bool
        fileprivate let isNew: Bool
        fileprivate let isKnown: Bool
        fileprivate let network: SignInNetwork
    }

    private let state: Mutex<VerificationState>
    private let randomness: any Randomness
    private let clock: any Clock

    package init(randomness: any Randomness, clock: any Clock, pendingMax: Int = pendingMax) {
        (self.randomness, self.clock) = (randomness, clock)
        state = Mutex(VerificationState(pendingMax: pendingMax))
    }

    /// The phone's code: the one that is out, or a new one. The same whether or not the phone is known.
    ///
    /// - Parameter caps: what counts messages; nil where none is sent.
    /// - Throws: where there is no code and no message may be sent.
    public func begin(
        for phone: E164Number, from network: SignInNetwork = .unknown, caps: MessageCaps? = nil
    ) throws(VerificationRefusal) -> Begun {
        if let caps, !caps.serves(phone) { throw .notServed }
        let (now, expiresAt) = (clock.steady(), clock.now().advanced(bySeconds: Self.validSeconds))
        let code = newCode()
        return try state.withLock { state -> Result<Begun, VerificationRefusal> in
            state.forgetEnded(at: now)
            let isKnown = state.isKnown(network, to: phone)
            func count() -> Int64? { caps?.take(phone, from: network, isKnown: isKnown, at: now) }
            func begun(_ entry: PendingCode, isToBeSent: Bool, isNew: Bool) -> Result<Begun, VerificationRefusal> {
                .success(
                    Begun(
                        code: entry.code, expiresAt: entry.expiresAt, isToBeSent: isToBeSent, isNew: isNew, isKnown: isKnown,
                        network: network))
            }
            if var entry = state.pending[phone] {
                entry.addAsker(network)
                let isDue = entry.sentAt.map { now >= $0.advanced(bySeconds: Limits.messagePauseSeconds) } ?? true
                let isToBeSent = isDue && count() == nil
                if isToBeSent { entry.sentAt = now }
                state.pending[phone] = entry
                return begun(entry, isToBeSent: isToBeSent, isNew: false)
            }
            if let seconds = count() { return .failure(.wait(seconds: seconds)) }
            let entry = PendingCode(
                code: code, endsAt: now.advanced(bySeconds: Self.validSeconds), expiresAt: expiresAt, sentAt: now, askers: [network])
            state.insert(entry, for: phone)
            return begun(entry, isToBeSent: true, isNew: true)
        }.get()
    }

    /// Takes back a message that could not be sent. It is not counted, and the next request sends it.
    public func unsent(_ begun: Begun, to phone: E164Number, caps: MessageCaps? = nil) {
        caps?.giveBack(phone, from: begun.network, isKnown: begun.isKnown)
        state.withLock { state in
            guard state.pending[phone]?.code == begun.code else { return }
            if begun.isNew { state.pending[phone] = nil } else { state.pending[phone]?.sentAt = nil }
        }
    }

    /// Spends the phone's code: true once, for the right code in time.
    ///
    /// - Throws: `.wait` where this network may not try now; then the code was not looked at, and stays good.
    public func spend(
        _ code: String, for phone: E164Number, from network: SignInNetwork = .unknown
    ) throws(VerificationRefusal) -> Bool {
        let now = clock.steady()
        return try state.withLock { $0.spend(code, for: phone, from: network, at: now) }.get()
    }

    /// Whether the breaker is open: after too many recent wrong codes, strangers have to wait.
    public var isBreakerOpen: Bool {
        let now = clock.steady()
        return state.withLock { $0.isBreakerOpen(at: now) }
    }

    /// Remembers that the number's holder signed in from a network.
    public func remember(_ network: SignInNetwork, of phone: E164Number) {
        state.withLock { $0.remember(network, of: phone) }
    }

    /// Whether the number's holder signed in from a network recently.
    public func isKnown(_ network: SignInNetwork, to phone: E164Number) -> Bool {
        state.withLock { $0.isKnown(network, to: phone) }
    }

    private func newCode() -> String {
        let digits = String(randomness.next() % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// Compares without telling by its duration how much was right.
func equalInConstantTime(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// A code that is out to a phone.
struct PendingCode {
    let code: String
    /// The code's end, by the steady clock.
    let endsAt: Instant
    /// The code's end by the time of day, as the client was told.
    let expiresAt: Instant
    /// The time of the newest message with it, by the steady clock; nil if it could not be sent.
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
    /// The relation of a network to a code.
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
    /// Whether there were so many recent wrong codes that strangers have to wait.
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

    /// - Parameter phone: nil if the number had no code, so that nothing could be guessed.
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
