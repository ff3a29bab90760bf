internal import Caches
public import Loyalty
import Synchronization

/// The reason why no code was made or checked.
public enum VerificationRefusal: Error, Hashable, Sendable {
    /// There were too many messages or too many wrong codes. A retry makes sense after this number of seconds.
    case wait(seconds: Int64)
    /// Messages are not sent to this number's country.
    case notServed
}

/// The six-digit codes sent to phones, and the limits on guessing them.
///
/// **Asking.** A code is valid for ``validSeconds``. A request that is repeated while the code is valid gets the same code, which still
/// expires at the same time. The same code is sent at most once a minute, and each message counts against ``MessageCaps``. So a stranger
/// who requests a code for another person's number neither changes the code that was just sent nor floods the phone.
///
/// **Guessing.** A wrong code never invalidates the right one. Wrong codes are counted by the network that they come from, and each network
/// has one of three relations to a code:
///
/// - *known*: the number signed in from this network recently. The last ``Limits/knownNetworksMax`` networks of a number are remembered.
/// - *asker*: one of the first ``Limits/askersMax`` networks that asked for this code.
/// - *stranger*: all others.
///
/// Known networks and askers have ``triesMax`` tries at each code, regardless of other networks, while the breaker (see below) is closed. A
/// stranger has ``Limits/strangerTriesMax`` tries. All strangers together may enter ``Limits/strangerGuessesPerNumber`` wrong codes a day
/// for each number. Each stranger's network also has a budget of its own, and the breaker limits all strangers. A number's or a network's
/// budget that is used up makes strangers wait, but never a known network or an asker. If strangers have used up a number's budget, its
/// holder requests the next code. If the holder's network is among the first that ask for that code, it is an asker, and the holder can
/// sign in.
///
/// **Arithmetic.** One guess at one code is right with probability 10⁻⁶. In any 24 hours, for one number:
///
/// - at most 2 · 8 messages are sent for strangers and 2 · 8 for known networks, so at most 32 codes are made;
/// - askers guess at most 32 codes · 3 networks · 5 tries = 480 times;
/// - strangers guess at most 2 · 100 = 200 times, since a budget of 100 refills once a day;
/// - together 680 guesses: 6.8 · 10⁻⁴, below 10⁻³. An attacker inside both of the holder's own networks adds at most 32 · 2 · 5 = 320,
///   which makes 10⁻³.
///
/// **Breaker.** The breaker limits the wrong codes for all numbers together. If there are more than ``Limits/wrongCodesPerHour``, the
/// breaker opens until there are fewer. While it is open, strangers are refused, askers have one try at each code, and known networks and
/// askers may try only at the rate ``Limits/slowTries``. This slows all clients down, but the right code still works. So over all numbers
/// at most 25,000 wrong codes a day are checked while the breaker is closed, and 3 for each code requested by strangers while the breaker
/// is open. An attacker who makes the service send all 20,000 messages of a day guesses 25,000 + 3 · 20,000 = 85,000 times. At 10⁻⁶ for
/// each guess, this is expected to open 0.085 accounts.
///
/// Everything is kept in memory of bounded size: ``pendingMax`` codes, and ``Limits/signInKeysMax`` keys in each of two generations of the
/// tables. At a restart, codes, tries and known networks are lost. That costs people one more message. Budgets begin anew, so the
/// arithmetic above holds only between two restarts. Any task may call.
public final class Verifications: Sendable {
    /// Seconds for which a code is valid.
    public static let validSeconds: Int64 = 300
    /// The number of wrong codes that may be entered, for each code sent, from a network where the phone number signed in recently or from
    /// which the code was requested.
    public static let triesMax = 5
    /// The maximum number of codes that are valid at once. The oldest is evicted first.
    public static let pendingMax = 100_000

    /// A code that a client entered, and the phone number to which the client says it was sent.
    public typealias EnteredCode = (code: String, phone: E164Number)

    /// The answer to a request for a code.
    public struct Begun: Sendable {
        public let code: String
        /// The time of day at which the code expires. It is the same for every request that gets this code.
        public let expiresAt: Instant
        /// Whether a message must be sent. If so, it has been counted already.
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

    /// Returns the code that is valid for a phone number, or makes a new one if none is valid. Whether the number is registered makes no
    /// difference.
    ///
    /// - Parameter caps: the counter of messages; nil if messages are not counted.
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

    /// Takes back a message that could not be sent. The message uses up no allowance, and the next request sends one again.
    public func unsent(_ begun: Begun, to phone: E164Number, caps: MessageCaps? = nil) {
        caps?.giveBack(phone, from: begun.network, isKnown: begun.isKnown)
        state.withLock { state in
            guard state.pending[phone]?.code == begun.code else { return }
            if begun.isNew { state.pending[phone] = nil } else { state.pending[phone]?.sentAt = nil }
        }
    }

    /// Uses up all of these codes if every one of them is right. Otherwise uses up none, because a client that mistyped one of two codes
    /// enters both again.
    ///
    /// The codes are checked in their order, up to the first one that is wrong or may not be tried.
    ///
    /// - Returns: whether all codes were right. A code is right only once, while it is valid.
    /// - Throws: `.wait` if this network may not try one of the codes now; then that code was not checked, and all codes stay valid.
    public func spend(_ codes: [EnteredCode], from network: SignInNetwork) throws(VerificationRefusal) -> Bool {
        let now = clock.steady()
        return try state.withLock { $0.spend(codes, from: network, at: now) }.get()
    }

    /// Makes codes valid again that ``spend(_:from:)`` has used up, until they would have expired anyway. A code is not valid again if a
    /// newer one was made for its phone number since.
    public func giveBack(_ codes: [EnteredCode]) {
        state.withLock { state in
            for (code, phone) in codes where state.pending[phone]?.code == code { state.pending[phone]?.isUsed = false }
        }
    }

    /// Whether the breaker is open: after too many recent wrong codes, strangers must wait.
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

/// Compares two texts in constant time, so that the duration does not reveal how many characters are equal.
func equalInConstantTime(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// A code that was sent to a phone.
struct PendingCode {
    let code: String
    /// The time at which the code expires, by the steady clock.
    let endsAt: Instant
    /// The time of day at which the code expires, as the client was told.
    let expiresAt: Instant
    /// The time of the newest message with this code, by the steady clock; nil if that message could not be sent.
    var sentAt: Instant?
    /// The first networks that requested this code.
    var askers: [SignInNetwork]
    /// The number of wrong codes that were entered from each network. The budgets of strangers limit the number of networks here.
    var wrong: [SignInNetwork: Int] = [:]
    /// Whether the code was used up. Such a code is not valid, and is kept until it expires only because it may be given back.
    var isUsed = false

    mutating func addAsker(_ network: SignInNetwork) {
        if askers.count < Limits.askersMax, !askers.contains(network) { askers.append(network) }
    }
}

/// The state that ``Verifications`` guards with its lock, and the rules for trying a code.
struct VerificationState {
    /// The relation of a network to a code; ``Verifications`` defines the three kinds.
    private enum Standing { case known, asker, stranger }

    /// The numbers in the order in which their codes expire. All codes are valid equally long, so this is also the order of their creation.
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

    /// The newest code of each phone number, until it expires. It may have been used up, see ``valid(_:)``.
    var pending: [E164Number: PendingCode] = [:]
    /// The phone numbers of all entries of `pending`. A number is here again for each code that was used up before its newest one.
    private var queue = Queue()
    private let pendingMax: Int
    /// The networks from which each number signed in, newest first.
    private var known = GenerationalCache<E164Number, [SignInNetwork]>(limit: Limits.signInKeysMax)
    /// The allowances of wrong codes from strangers, by phone number.
    private var strangers = Allowances<E164Number>(
        Allowance(Limits.strangerGuessesPerNumber, perSeconds: Limits.daySeconds), keysMax: Limits.signInKeysMax)
    /// The allowances of wrong codes from strangers, by network, for all numbers together.
    private var networks = Allowances<SignInNetwork>(Limits.strangerGuessesPerNetwork, keysMax: Limits.signInKeysMax)
    /// The allowance of wrong codes from all networks together. While it is used up, the breaker is open.
    private var failures = Allowances<Bool>(Allowance(Limits.wrongCodesPerHour, perSeconds: 3_600), keysMax: 2)
    /// Whether the breaker is open: there were so many recent wrong codes that strangers must wait.
    mutating func isBreakerOpen(at now: Instant) -> Bool { failures.secondsToWait(true, at: now) != nil }

    /// The allowances of networks to try codes while the breaker is open.
    private var pace = Allowances<SignInNetwork>(Limits.slowTries, keysMax: Limits.signInKeysMax)

    init(pendingMax: Int) {
        self.pendingMax = pendingMax
    }

    // MARK: Codes that are valid

    /// The valid code of a phone number; nil if there is none. ``forgetEnded(at:)`` MUST have been called before.
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
        // If the oldest code was used up and the phone has a newer code, the newer one stays in `pending`.
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

    /// Checks one code, and counts it if it is wrong.
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

    /// Counts a wrong code that was entered from a network. `phone` is nil if the phone number had no code, so that nothing could be
    /// guessed.
    private mutating func countWrong(_ standing: Standing, _ phone: E164Number?, _ network: SignInNetwork, at now: Instant) {
        // A wrong code for a number that has no code guesses nothing, so it must not make others wait.
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
