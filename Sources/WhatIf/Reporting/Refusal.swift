/// What was possible in history and is not under the changed rules, and why.
public struct Refusal: Hashable, Comparable, Sendable {
    /// What somebody wanted.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case issue = "issue a code"
        case destroy = "destroy a code"
        case stamp = "stamp"
        case discard = "discard a card"
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
        case noSuchCard = "no card of the customer stands like that one"
        case notFull = "no card was full"
        case redeemedBefore = "the card was redeemed when it was full"
        case notRequested = "its redemption was not requested"
        case redemptionNotValid = "the redemption code was not valid any more"
        case notRedeemed = "its redemption did not happen"
        case notReversible = "the redemption was not of the last 24 hours"
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
