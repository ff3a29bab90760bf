internal import Loyalty

/// Every event as a type and a list of fields: one table for the readable and the machine's form.
extension LoyaltyEvent {
    var wireType: WireType {
        switch self {
        case .accountRegistered: .accountRegistered
        case .sessionStarted: .sessionStarted
        case .sessionRefreshed: .sessionRefreshed
        case .sessionEnded: .sessionEnded
        case .profileEdited: .profileEdited
        case .passwordSet: .passwordSet
        case .accountErased: .accountErased
        case .shopOpened: .shopOpened
        case .campaignPublished: .campaignPublished
        case .campaignEnded: .campaignEnded
        case .codeIssued: .codeIssued
        case .codeDestroyed: .codeDestroyed
        case .cardOpened: .cardOpened
        case .cardStamped: .cardStamped
        case .cardDiscarded: .cardDiscarded
        case .redemptionRequested: .redemptionRequested
        case .cardRedeemed: .cardRedeemed
        case .reviewPosted: .reviewPosted
        case .replyPosted: .replyPosted
        }
    }

    /// What the event is about first, keyed hashes and sealed data last.
    var fields: [FactField] {
        switch self {
        case .accountRegistered(let event): event.fields
        case .sessionStarted(let event): event.fields
        case .sessionRefreshed(let event): event.fields
        case .sessionEnded(let event): event.fields
        case .profileEdited(let event): event.fields
        case .passwordSet(let event): event.fields
        case .accountErased(let event): event.fields
        case .shopOpened(let event): event.fields
        case .campaignPublished(let event): event.fields
        case .campaignEnded(let event): event.fields
        case .codeIssued(let event): event.fields
        case .codeDestroyed(let event): event.fields
        case .cardOpened(let event): event.fields
        case .cardStamped(let event): event.fields
        case .cardDiscarded(let event): event.fields
        case .redemptionRequested(let event): event.fields
        case .cardRedeemed(let event): event.fields
        case .reviewPosted(let event): event.fields
        case .replyPosted(let event): event.fields
        }
    }
}
