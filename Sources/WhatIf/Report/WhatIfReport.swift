public import EventLog
public import Loyalty

/// The comparison of changed rules with recorded history. The same log, rules and prices give the same report, byte for byte.
public struct WhatIfReport: Hashable, Sendable {
    /// The changed rules, in one line.
    public let rules: String
    /// Whether there are prices for rewards.
    public let hasPrices: Bool
    /// The position of the last event read.
    public let position: Position
    /// The number of events that are used without a new decision, such as events about shops, stamps on paper cards, and reminders. A stamp
    /// on a paper card that the changed rules do not allow is left out of the changed history, but is counted here too.
    public let carried: Int
    public let check: SelfCheck
    /// The figures of all shops and months together.
    public let total: Compared
    /// The numbers of commands that were accepted in history and are rejected under the changed rules, by kind of command and reason.
    public let refused: [RefusalRow]
    /// The figures of every shop and month that has any, ordered by the shop's id and the month.
    public let rows: [Row]
    /// The shops' names at the end of the period.
    public let shopNames: [ShopID: String]
    public let accounts: AccountChanges

    /// Figures under the recorded rules (`before`), and under the changed rules (`after`).
    public struct Compared: Hashable, Sendable {
        public internal(set) var before = Tally()
        public internal(set) var after = Tally()

        /// The figures under the changed rules minus the figures under the recorded rules.
        public var difference: Tally { after.less(before) }

        mutating func add(_ other: Compared) {
            before.add(other.before)
            after.add(other.after)
        }
    }

    /// The figures of one shop in one month.
    public struct Row: Hashable, Sendable {
        public let shop: ShopID
        public let month: Month
        public let figures: Compared
    }

    /// A kind of command with a reason for rejections, and the number of such commands that were rejected for this reason.
    public struct RefusalRow: Hashable, Sendable {
        public let refusal: Refusal
        public let count: Int
    }

    /// Whether nothing differs from history.
    public var isEmpty: Bool { refused.isEmpty && accounts.changes.isEmpty && rows.allSatisfy { $0.figures.difference == Tally() } }

    init(_ rerun: Rerun, _ rules: ProgrammeRules, _ prices: Prices, _ check: SelfCheck, _ end: Position) {
        (self.rules, hasPrices, position, carried, self.check) = (rules.summary, !prices.isEmpty, end, rerun.carried, check)
        rows = Self.rows(rerun.recorded.ledger, rerun.changed.ledger)
        total = rows.reduce(into: Compared()) { $0.add($1.figures) }
        refused = rerun.changed.refused.sorted { $0.key < $1.key }.map { RefusalRow(refusal: $0.key, count: $0.value) }
        shopNames = rerun.ground.shops.mapValues(\.name)
        accounts = AccountChanges(rerun.recorded.ledger, rerun.changed.ledger)
    }

    private static func rows(_ before: Ledger, _ after: Ledger) -> [Row] {
        let keys = Set(before.rows.keys).union(after.rows.keys)
        return keys.sorted { ($0.shop, $0.month) < ($1.shop, $1.month) }.map { key in
            let figures = Compared(before: before.rows[key] ?? Tally(), after: after.rows[key] ?? Tally())
            return Row(shop: key.shop, month: key.month, figures: figures)
        }
    }

    /// The figures by month over all shops, for every month with figures.
    public var months: [(month: Month, figures: Compared)] {
        Dictionary(grouping: rows, by: \.month).sorted { $0.key < $1.key }.map { ($0.key, Self.sum($0.value)) }
    }

    /// The figures by shop over all months.
    public var shops: [(shop: ShopID, figures: Compared)] {
        Dictionary(grouping: rows, by: \.shop).sorted { $0.key < $1.key }.map { ($0.key, Self.sum($0.value)) }
    }

    private static func sum(_ rows: [Row]) -> Compared {
        rows.reduce(into: Compared()) { $0.add($1.figures) }
    }
}

/// The kind of a command that was accepted in history and is rejected under the changed rules, and the reason.
public struct Refusal: Hashable, Comparable, Sendable {
    /// The kind of command.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case issue = "issue a code"
        case destroy = "destroy a code"
        case stamp = "stamp"
        case claim = "claim a coupon"
        case discard = "discard a card"
        case takeOver = "take over a waiting card"
        case takeBack = "take stamps back"
        case adjust = "adjust a card"
        case expire = "a card expires"
        case request = "request a redemption"
        case redeem = "redeem"
        case reverse = "reverse a redemption"
    }

    /// The reason why the command was rejected, or skipped because an earlier command was rejected.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case aboveCap = "the code is worth more than the cap a day"
        case codeExpired = "the code had expired"
        case codeNotIssued = "the code was not issued"
        case codeNotOpen = "the code was expired or used"
        case tooOften = "it came too often or too soon for the account"
        case limitReached = "the account had filled as many cards as it may"
        case paperFull = "the paper card was full"
        case noSuchCard = "no card of the customer stands like that one"
        case notFull = "no card was full"
        case notReached = "no card had reached its milestone"
        case redeemedBefore = "the card was redeemed when it was full"
        case notRequested = "its redemption was not requested"
        case redemptionNotValid = "the redemption code was not valid any more"
        case notRedeemed = "its redemption did not happen"
        case notReversible = "it was not of the last 24 hours, or its card was redeemed"
        case doesNotFit = "the correction does not fit the card"
        case other = "another rule of the service"
    }

    public let kind: Kind
    public let reason: Reason

    public static func < (left: Self, right: Self) -> Bool {
        func order(_ refusal: Refusal) -> (Int, Int) {
            (Kind.allCases.firstIndex(of: refusal.kind) ?? 0, Reason.allCases.firstIndex(of: refusal.reason) ?? 0)
        }
        return order(left) < order(right)
    }
}

/// The check whether the re-run under the recorded rules equals the log. If it does not, the answer of the analysis is not reliable.
public struct SelfCheck: Hashable, Sendable {
    /// A command whose new decision differs from the recorded one.
    public struct Difference: Hashable, Sendable {
        /// The position of the first event of the command.
        public let position: UInt64
        public let detail: String

        init(position: UInt64, detail: String) {
            (self.position, self.detail) = (position, detail)
        }
    }

    /// The number of commands whose new decision gave the recorded events.
    public let equal: Int
    /// The number of commands whose new decision gave other events or a rejection, and of commands whose recorded events are incomplete.
    public let different: Int
    /// The first different decision; nil if there is none.
    public let firstDifference: Difference?
    /// The digest of card progress according to the recorded events that the re-run has read, as 64 hexadecimal digits.
    public let digest: String
    /// The digest of card progress according to a replay of the log, which makes no decisions. A re-run of one campaign makes no replay;
    /// then this digest is a copy of ``digest``.
    public let replayDigest: String

    /// Whether every decision equals the recorded one, and the two digests are equal.
    public var isPassed: Bool { different == 0 && digest == replayDigest }
}
