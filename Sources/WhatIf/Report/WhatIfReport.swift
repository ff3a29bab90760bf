public import EventLog
public import Loyalty

/// The comparison of changed rules with recorded history. The same input gives the same report, byte for byte.
public struct WhatIfReport: Hashable, Sendable {
    /// The changed rules, in one line.
    public let rules: String
    public let hasPrices: Bool
    public let position: Position
    /// Events that are used without a new decision, even stamps on paper cards that the changed rules leave out.
    public let carried: Int
    public let check: SelfCheck
    public let total: Compared
    /// Commands that only the changed rules reject, by kind and reason.
    public let refused: [RefusalRow]
    /// Ordered by the shop's id and the month.
    public let rows: [Row]
    /// At the end of the period.
    public let shopNames: [ShopID: String]
    public let accounts: AccountChanges

    /// Figures under the recorded rules (`before`), and under the changed rules (`after`).
    public struct Compared: Hashable, Sendable {
        public internal(set) var before = Tally()
        public internal(set) var after = Tally()

        /// `after` minus `before`.
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

    /// The number of commands that were rejected for one reason.
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
        shopNames = rerun.shared.shops.mapValues(\.name)
        accounts = AccountChanges(rerun.recorded.ledger, rerun.changed.ledger)
    }

    private static func rows(_ before: Ledger, _ after: Ledger) -> [Row] {
        let keys = Set(before.rows.keys).union(after.rows.keys)
        return keys.sorted { ($0.shop, $0.month) < ($1.shop, $1.month) }.map { key in
            let figures = Compared(before: before.rows[key] ?? Tally(), after: after.rows[key] ?? Tally())
            return Row(shop: key.shop, month: key.month, figures: figures)
        }
    }

    /// The figures by month over all shops.
    public var months: [(month: Month, figures: Compared)] {
        Dictionary(grouping: rows, by: \.month).sorted { $0.key < $1.key }.map { ($0.key, Self.sum($0.value)) }
    }

    /// The figures by shop over all months.
    public var shops: [(shop: ShopID, figures: Compared)] {
        Dictionary(grouping: rows, by: \.shop).sorted { $0.key < $1.key }.map { ($0.key, Self.sum($0.value)) }
    }

    private static func sum(_ rows: [Row]) -> Compared { rows.reduce(into: Compared()) { $0.add($1.figures) } }
}

/// A kind of command that history accepted, and the reason for its rejection under the changed rules.
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

    /// The reason for a rejection, or for skipping a command that depends on a rejected one.
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

/// The check whether the re-run under the recorded rules equals the log. If not, the report is not reliable.
public struct SelfCheck: Hashable, Sendable {
    /// A command whose new decision differs from the recorded one.
    public struct Difference: Hashable, Sendable {
        public let position: UInt64
        public let detail: String
    }

    /// Commands whose new decision gave the recorded events.
    public let equal: Int
    /// Other results, rejections, and commands with incomplete events.
    public let different: Int
    /// Those of ``different`` that the rules refuse, so that the service cannot have written them.
    public let refused: Int
    public let firstDifference: Difference?
    /// Card progress from the recorded events, as 64 hexadecimal digits.
    public let digest: String
    /// From a replay without decisions; for one campaign, a copy of ``digest``.
    public let replayDigest: String

    /// Whether every decision and the digests are equal.
    public var isPassed: Bool { different == 0 && digest == replayDigest }
}
