import Loyalty
import Synchronization

/// The number of text messages that may be sent in a day, and the countries to whose phone numbers they may be sent.
public struct MessageLimits: Hashable, Sendable {
    /// Prefixes of numbers to which messages may be sent, such as `+86`; empty for all numbers.
    public var countries: [String]
    /// The maximum number of messages a day to all numbers together, in each of the two budgets of ``MessageCaps``. Messages are limited
    /// because they cost money.
    public var perDay: Int

    /// The range of ``perDay``. With the largest value, each of the four large tables of ``MessageCaps`` keeps at most four million keys,
    /// which is about a gigabyte in all. Each key is there because a message was counted, so the memory grows only with the messages that
    /// the operator pays for. It is about 100 MB with 100,000 messages a day, and 10 MB with the default.
    public static let perDayRange = 1...1_000_000

    public init(countries: [String] = [], perDay: Int = Limits.messagesPerDay) {
        (self.countries, self.perDay) = (countries, perDay)
    }

    /// Whether a text is the prefix of a number in E.164 form: `+`, then 1 to 15 digits, the first not 0.
    public static func isPrefix(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (1...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// Counts text messages by number, by network, and in total, and refuses those beyond a day's allowance.
///
/// Each allowance is an ``Allowance`` over a day, so in any 24 hours at most twice its size is sent. There are two separate budgets:
///
/// - For networks from which the number has signed in lately (*known*, see ``Verifications``): ``Limits/messagesPerNumber`` a day to the
///   number, and a total of its own.
/// - For all others: ``Limits/messagesPerNumberAndNetwork`` from one network to one number, ``Limits/messagesPerNumber`` to the number,
///   ``Limits/messagesPerNetwork`` from one network, and the total.
///
/// So if strangers use up a number's messages, or all messages, the number's holder can still request messages from a known network. One
/// network alone cannot use up a number's messages. A request counts against all allowances of its budget. If one of them is used up, the
/// request is refused and counts against none.
///
/// The counts are kept in memory of bounded size, and are lost at a restart. Each entry of a table has used a message of the total, so even
/// many numbers or networks cannot evict the entries of others within a day. Any task may call.
///
/// A request that is repeated while a code is valid sends the same code again. If it sent a new code, the first code would become invalid,
/// and anybody who knows a number could lock its holder out.
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
        // In a day at most twice the maximum of all messages is counted, so each of the two generations of a table holds that many keys.
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
    public func serves(_ phone: E164Number) -> Bool {
        limits.countries.isEmpty || limits.countries.contains { phone.text.hasPrefix($0) }
    }

    /// Counts a message, or refuses it.
    ///
    /// - Parameter isKnown: whether the number signed in from the network recently.
    /// - Returns: nil if the message was counted; otherwise the seconds to wait.
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

    /// Reverts ``take(_:from:isKnown:at:)`` for a message that was not sent.
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
