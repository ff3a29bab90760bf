import Loyalty
import Synchronization

/// The daily limit of text messages, and the countries that get them.
public struct MessageLimits: Hashable, Sendable {
    public var countries: [String]
    /// The maximum to all numbers, in each of the two budgets of ``MessageCaps``. Messages cost money.
    public var perDay: Int

    /// The range of ``perDay``. The largest value needs about a gigabyte of tables, and the default 10 MB.
    public static let perDayRange = 1...1_000_000

    public init(countries: [String] = [], perDay: Int = Limits.messagesPerDay) { (self.countries, self.perDay) = (countries, perDay) }

    /// `+` and 1 to 15 digits, the first not 0.
    public static func isPrefix(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (1...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// Counts text messages by number, by network, and in total, and refuses those beyond a day's allowance. Any task may call.
///
/// Known networks (see ``Verifications``) have a budget of their own, so that strangers who use up a number's messages do not stop its
/// holder. A refused request counts against no allowance. Each key has used a message of the total, so many keys cannot evict others within
/// a day. Counts are lost at a restart.
public final class MessageCaps: Sendable {
    private struct Pair: Hashable {
        let phone: E164Number
        let network: SignInNetwork
    }

    private enum Purse: Hashable { case strangers, known }

    private struct State {
        var pairs: Allowances<Pair>
        var numbers: Allowances<E164Number>
        var knownNumbers: Allowances<E164Number>
        var networks: Allowances<SignInNetwork>
        var totals: Allowances<Purse>
    }

    private let limits: MessageLimits
    private let state: Mutex<State>

    public init(_ limits: MessageLimits = MessageLimits()) {
        self.limits = limits
        let day = Limits.daySeconds
        // At most twice the daily maximum is counted in a day, so a generation holds that many keys.
        let keysMax = 2 * max(limits.perDay, 1)
        state = Mutex(
            State(
                pairs: Allowances(Allowance(Limits.messagesPerNumberAndNetwork, perSeconds: day), keysMax: keysMax),
                numbers: Allowances(Allowance(Limits.messagesPerNumber, perSeconds: day), keysMax: keysMax),
                knownNumbers: Allowances(Allowance(Limits.messagesPerNumber, perSeconds: day), keysMax: keysMax),
                networks: Allowances(Allowance(Limits.messagesPerNetwork, perSeconds: day), keysMax: keysMax),
                totals: Allowances(Allowance(limits.perDay, perSeconds: day), keysMax: 2)))
    }

    /// Whether messages are sent to the number's country.
    public func serves(_ phone: E164Number) -> Bool { limits.countries.isEmpty || limits.countries.contains { phone.text.hasPrefix($0) } }

    /// Returns the seconds to wait after a refusal.
    func take(_ phone: E164Number, from network: SignInNetwork, isKnown: Bool, at now: Instant) -> Int64? {
        state.withLock { state in
            if isKnown {
                let waits = [state.knownNumbers.secondsToWait(phone, at: now), state.totals.secondsToWait(.known, at: now)]
                if let wait = waits.compactMap({ $0 }).max() { return wait }
                state.knownNumbers.take(phone, at: now)
                state.totals.take(.known, at: now)
                return nil
            }
            let pair = Pair(phone: phone, network: network)
            let waits = [
                state.pairs.secondsToWait(pair, at: now), state.numbers.secondsToWait(phone, at: now),
                state.networks.secondsToWait(network, at: now), state.totals.secondsToWait(.strangers, at: now),
            ]
            if let wait = waits.compactMap({ $0 }).max() { return wait }
            state.pairs.take(pair, at: now)
            state.numbers.take(phone, at: now)
            state.networks.take(network, at: now)
            state.totals.take(.strangers, at: now)
            return nil
        }
    }

    func giveBack(_ phone: E164Number, from network: SignInNetwork, isKnown: Bool) {
        state.withLock { state in
            state.totals.giveBack(isKnown ? .known : .strangers)
            guard !isKnown else { return state.knownNumbers.giveBack(phone) }
            state.pairs.giveBack(Pair(phone: phone, network: network))
            state.numbers.giveBack(phone)
            state.networks.giveBack(network)
        }
    }
}
