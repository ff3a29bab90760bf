public import EventLog
public import Loyalty
import LoyaltyCodec

/// A kind of act at a shop, by its name in the API.
public enum ActivityKind: String, Hashable, Sendable, CaseIterable {
    case issued, destroyed, opened, stamped, stampReversed, adjusted, discarded, expired, taken, redemptionRequested, redeemed, reversed

    public var types: [EventType] {
        switch self {
        case .issued: [.codeIssued]
        case .destroyed: [.codeDestroyed]
        case .opened: [.cardOpened]
        case .stamped: [.cardStamped, .paperStamped]
        case .stampReversed: [.stampReversed, .paperStampReversed]
        case .adjusted: [.cardAdjusted]
        case .discarded: [.cardDiscarded]
        case .expired: [.cardExpired]
        case .taken: [.waitingCardTaken, .paperCardTaken]
        case .redemptionRequested: [.redemptionRequested, .milestoneRequested]
        case .redeemed: [.cardRedeemed, .milestoneRedeemed]
        case .reversed: [.redemptionReversed, .milestoneReversed]
        }
    }

    public init?(_ event: LoyaltyEvent) {
        switch event {
        case .codeIssued: self = .issued
        case .codeDestroyed: self = .destroyed
        case .cardOpened: self = .opened
        case .cardStamped, .paperStamped: self = .stamped
        case .stampReversed, .paperStampReversed: self = .stampReversed
        case .cardAdjusted: self = .adjusted
        case .cardDiscarded: self = .discarded
        case .cardExpired: self = .expired
        case .waitingCardTaken, .paperCardTaken: self = .taken
        case .redemptionRequested, .milestoneRequested: self = .redemptionRequested
        case .cardRedeemed, .milestoneRedeemed: self = .redeemed
        case .redemptionReversed, .milestoneReversed: self = .reversed
        default: return nil
        }
    }
}
