public import EventLog
public import Loyalty

/// The result of changed rules beside recorded history. The same log and rules make the same report, byte for byte.
public struct WhatIfReport: Hashable, Sendable {
    /// The rules that were asked about, in one line.
    public let rules: String
    /// Whether rewards have prices.
    public let hasPrices: Bool
    /// The last event looked at.
    public let position: Position
    /// Events that no programme rule touches, taken as they are.
    public let carried: Int
    public let check: SelfCheck
    /// Figures of the whole period.
    public let total: Compared
    /// Commands that were accepted in history and are refused now: how often, by reason.
    public let refused: [RefusalRow]
    /// Every shop and month in which there is a figure, in order of their ids and time.
    public let rows: [Row]
    /// Shops' names as they are at the end.
    public let shopNames: [ShopID: String]
    public let accounts: AccountChanges

    /// Figures before and after.
    public struct Compared: Hashable, Sendable {
        public internal(set) var before = Tally()
        public internal(set) var after = Tally()

        /// After less before.
        public var difference: Tally { after.less(before) }

        mutating func add(_ other: Compared) {
            before.add(other.before)
            after.add(other.after)
        }
    }

    /// One shop in one month.
    public struct Row: Hashable, Sendable {
        public let shop: ShopID
        public let month: Month
        public let figures: Compared
    }

    /// A refusal and how often it came.
    public struct RefusalRow: Hashable, Sendable {
        public let refusal: Refusal
        public let count: Int
    }

    /// Nothing is other than it was.
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

    /// The figures by month, over all shops; every month that has figures.
    public var months: [(month: Month, figures: Compared)] {
        Dictionary(grouping: rows, by: \.month).sorted { $0.key < $1.key }.map { ($0.key, Self.sum($0.value)) }
    }

    /// The figures by shop, over all months.
    public var shops: [(shop: ShopID, figures: Compared)] {
        Dictionary(grouping: rows, by: \.shop).sorted { $0.key < $1.key }.map { ($0.key, Self.sum($0.value)) }
    }

    private static func sum(_ rows: [Row]) -> Compared {
        rows.reduce(into: Compared()) { $0.add($1.figures) }
    }
}

/// A command that was accepted in history and is refused under the changed rules, with its reason.
public struct Refusal: Hashable, Comparable, Sendable {
    /// The kind of command.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case issue = "issue a code"
        case destroy = "destroy a code"
        case stamp = "stamp"
        case claim = "claim a coupon"
        case discard = "discard a card"
        case takeBack = "take stamps back"
        case adjust = "adjust a card"
        case request = "request a redemption"
        case redeem = "redeem"
        case reverse = "reverse a redemption"
    }

    /// Why it was refused, or skipped because something before it was refused.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case aboveCap = "the code is worth more than the cap a day"
        case codeExpired = "the code had expired"
        case codeNotIssued = "the code was not issued"
        case codeNotOpen = "the code was expired or used"
        case tooOften = "the card was stamped too often or too soon"
        case limitReached = "the account had filled as many cards as it may"
        case noSuchCard = "no card of the customer stands like that one"
        case notFull = "no card was full"
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

/// Whether the re-run under the recorded rules is the log: what every what-if stands on.
public struct SelfCheck: Hashable, Sendable {
    /// A decision that differs from the recorded one.
    public struct Difference: Hashable, Sendable {
        /// The position of the first event of the command.
        public let position: UInt64
        public let detail: String

        init(position: UInt64, detail: String) {
            (self.position, self.detail) = (position, detail)
        }
    }

    /// Commands decided again whose events were the recorded ones.
    public let equal: Int
    /// Commands decided again whose events were others.
    public let different: Int
    /// The first of these.
    public let firstDifference: Difference?
    /// The digest of card progress, as the re-run makes it; 64 hexadecimal digits.
    public let digest: String
    /// The same of a replay of the log, which decides nothing.
    public let replayDigest: String

    /// Every decision was the recorded one, and so the state is.
    public var isPassed: Bool { different == 0 && digest == replayDigest }
}
