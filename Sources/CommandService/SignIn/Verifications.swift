internal import Caches
public import Loyalty
import Synchronization

/// The reason why no code was made or checked.
public enum VerificationRefusal: Error, Hashable, Sendable {
    /// Too many messages or wrong codes; retry after this time.
    case wait(seconds: Int64)
    case notServed
}

/// The six-digit codes sent to phones, and the limits on guessing them. Any task may call.
///
/// **Asking.** A repeated request gets the same valid code, at most one message a minute. A new code would invalidate the first one, so
/// that anybody who knows a number could lock its holder out.
///
/// **Guessing.** A wrong code never invalidates the right one. Wrong codes are counted by network:
///
/// - *known*: one of the last ``Limits/knownNetworksMax`` networks from which the number signed in, with ``triesMax`` tries at each code;
/// - *asker*: one of the first ``Limits/askersMax`` networks that asked for this code, with as many tries;
/// - *stranger*: all others, with ``Limits/strangerTriesMax``, a budget for the network, and a share of
///   ``Limits/strangerGuessesPerNumber``. If strangers have used that up, the holder becomes an asker of the next code.
///
/// **Arithmetic.** A guess is right with probability 10⁻⁶. In any 24 hours, for one number, 2 · 8 messages for strangers and 2 · 8 for
/// known networks make 32 codes. Askers guess 32 · 3 networks · 5 tries = 480 times, and strangers 2 · 100 = 200 times, together 6.8 ·
/// 10⁻⁴. An attacker inside both known networks adds 32 · 2 · 5 = 320, which makes 10⁻³.
///
/// **Breaker.** More than ``Limits/wrongCodesPerHour`` for all numbers open the breaker: strangers are refused, askers have one try, and
/// the rate is ``Limits/slowTries``. At most 25,000 wrong codes a day while it is closed, and 3 for each of 20,000 messages while it is
/// open, open 0.085 accounts.
///
/// A restart loses codes and counts, so the arithmetic holds between two restarts.
public final class Verifications: Sendable {
    public static let validSeconds: Int64 = 300
    /// Wrong codes for each code sent, from a known network or an asker.
    public static let triesMax = 5
    /// Codes valid at once. The oldest is evicted first.
    public static let pendingMax = 100_000

    public typealias EnteredCode = (code: String, phone: E164Number)

    /// The answer to a request for a code.
    public struct Begun: Sendable {
        public let code: String
        public let expiresAt: Instant
        /// Whether a message must be sent, which has been counted already.
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

    /// Returns the valid code of a number, registered or not, or makes one. Without `caps`, messages are not counted.
    ///
    /// - Throws: `.wait` if there is no code and no message may be sent now; `.notServed`.
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
            if var entry = state.valid(phone) {
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

    /// Takes back the count of a message that could not be sent, so that the next request sends one.
    public func unsent(_ begun: Begun, to phone: E164Number, caps: MessageCaps? = nil) {
        caps?.giveBack(phone, from: begun.network, isKnown: begun.isKnown)
        state.withLock { state in
            guard state.pending[phone]?.code == begun.code else { return }
            if begun.isNew { state.pending[phone] = nil } else { state.pending[phone]?.sentAt = nil }
        }
    }

    /// Uses up all these codes if every one is right, otherwise none, because a client that mistyped one enters both again.
    ///
    /// - Throws: `.wait` if this network may not try one of the codes now; that code was not checked.
    public func spend(_ codes: [EnteredCode], from network: SignInNetwork) throws(VerificationRefusal) -> Bool {
        let now = clock.steady()
        return try state.withLock { $0.spend(codes, from: network, at: now) }.get()
    }

    /// Makes codes that ``spend(_:from:)`` used up valid again until they expire, unless their number has a newer code.
    public func giveBack(_ codes: [EnteredCode]) {
        state.withLock { state in
            for (code, phone) in codes where state.pending[phone]?.code == code { state.pending[phone]?.isUsed = false }
        }
    }

    /// Whether too many recent wrong codes make strangers wait.
    public var isBreakerOpen: Bool {
        let now = clock.steady()
        return state.withLock { $0.isBreakerOpen(at: now) }
    }

    /// Remembers that the number's holder signed in from a network.
    public func remember(_ network: SignInNetwork, of phone: E164Number) { state.withLock { $0.remember(network, of: phone) } }

    /// Whether the number's holder signed in from a network recently.
    public func isKnown(_ network: SignInNetwork, to phone: E164Number) -> Bool { state.withLock { $0.isKnown(network, to: phone) } }

    private func newCode() -> String {
        let digits = String(randomness.next() % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// Compares two texts in constant time.
func equalInConstantTime(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

struct PendingCode {
    let code: String
    let endsAt: Instant
    let expiresAt: Instant
    /// The time of the newest message, by the steady clock; nil if it could not be sent.
    var sentAt: Instant?
    var askers: [SignInNetwork]
    /// The strangers' budgets bound the number of networks.
    var wrong: [SignInNetwork: Int] = [:]
    /// A used code is kept until it expires, because it may be given back.
    var isUsed = false

    mutating func addAsker(_ network: SignInNetwork) {
        if askers.count < Limits.askersMax, !askers.contains(network) { askers.append(network) }
    }
}

/// The state that ``Verifications`` guards with its lock, and the rules for trying a code.
struct VerificationState {
    private enum Standing { case known, asker, stranger }

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

    /// The newest code of each number, perhaps used up; see ``valid(_:)``.
    var pending: [E164Number: PendingCode] = [:]
    /// The numbers of `pending`, with a further entry for each code used up before the newest.
    private var queue = Queue()
    private let pendingMax: Int
    private var known = GenerationalCache<E164Number, [SignInNetwork]>(limit: Limits.signInKeysMax)
    private var strangers = Allowances<E164Number>(
        Allowance(Limits.strangerGuessesPerNumber, perSeconds: Limits.daySeconds), keysMax: Limits.signInKeysMax)
    private var networks = Allowances<SignInNetwork>(Limits.strangerGuessesPerNetwork, keysMax: Limits.signInKeysMax)
    private var failures = Allowances<Bool>(Allowance(Limits.wrongCodesPerHour, perSeconds: 3_600), keysMax: 2)
    mutating func isBreakerOpen(at now: Instant) -> Bool { failures.secondsToWait(true, at: now) != nil }

    private var pace = Allowances<SignInNetwork>(Limits.slowTries, keysMax: Limits.signInKeysMax)

    init(pendingMax: Int) { self.pendingMax = pendingMax }

    // MARK: Codes that are valid

    /// ``forgetEnded(at:)`` MUST have been called before.
    func valid(_ phone: E164Number) -> PendingCode? { pending[phone].flatMap { $0.isUsed ? nil : $0 } }

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
        // A used oldest code may have a newer one in `pending`, which stays.
        if pending[oldest.phone]?.endsAt == oldest.endsAt { pending[oldest.phone] = nil }
    }

    // MARK: Known networks

    mutating func isKnown(_ network: SignInNetwork, to phone: E164Number) -> Bool { known[phone]?.contains(network) ?? false }

    mutating func remember(_ network: SignInNetwork, of phone: E164Number) {
        let others = (known[phone] ?? []).filter { $0 != network }
        known[phone] = Array(([network] + others).prefix(Limits.knownNetworksMax))
    }

    // MARK: Tries at a code

    mutating func spend(
        _ codes: [Verifications.EnteredCode], from network: SignInNetwork, at now: Instant
    ) -> Result<Bool, VerificationRefusal> {
        forgetEnded(at: now)
        for (code, phone) in codes {
            let outcome = check(code, for: phone, from: network, at: now)
            guard case .success(true) = outcome else { return outcome }
        }
        for (_, phone) in codes {
            pending[phone]?.isUsed = true
            remember(network, of: phone)
        }
        return .success(true)
    }

    private mutating func check(
        _ code: String, for phone: E164Number, from network: SignInNetwork, at now: Instant
    ) -> Result<Bool, VerificationRefusal> {
        let standing = standing(of: network, to: phone)
        let breaker = failures.secondsToWait(true, at: now)
        if let seconds = secondsToWait(standing, phone, network, breaker, at: now) { return .failure(.wait(seconds: seconds)) }
        guard let entry = valid(phone) else {
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
        return .success(true)
    }

    private mutating func standing(of network: SignInNetwork, to phone: E164Number) -> Standing {
        if isKnown(network, to: phone) { return .known }
        return valid(phone)?.askers.contains(network) == true ? .asker : .stranger
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

    /// `phone` is nil if the number had no code.
    private mutating func countWrong(_ standing: Standing, _ phone: E164Number?, _ network: SignInNetwork, at now: Instant) {
        // A wrong code for a number without a code guesses nothing, so it must not make others wait.
        if phone != nil, failures.secondsToWait(true, at: now) == nil { failures.take(true, at: now) }
        guard standing == .stranger else { return }
        networks.take(network, at: now)
        if let phone { strangers.take(phone, at: now) }
    }
}

extension Instant {
    fileprivate func secondsSince(_ earlier: Instant) -> Int64 { (microseconds - earlier.microseconds + 999_999) / 1_000_000 }
}
