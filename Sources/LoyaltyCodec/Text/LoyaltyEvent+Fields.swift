internal import Loyalty

/// Every event as a type and a list of fields, used for both the readable form and JSON.
extension LoyaltyEvent {
    var wireType: WireType {
        switch self {
        case .accountRegistered: .accountRegistered
        case .sessionStarted: .sessionStarted
        case .sessionRefreshed: .sessionRefreshed
        case .sessionEnded: .sessionEnded
        case .profileEdited: .profileEdited
        case .passwordSet: .passwordSet
        case .passwordRemoved: .passwordRemoved
        case .accountErased: .accountErased
        case .phoneChanged: .phoneChanged
        case .accountSuspended: .accountSuspended
        case .accountReinstated: .accountReinstated
        case .accountSearched: .accountSearched
        case .phoneChangeRequested: .phoneChangeRequested
        case .phoneChangeEnded: .phoneChangeEnded
        case .shopOpened: .shopOpened
        case .shopEdited: .shopEdited
        case .staffAdded: .staffAdded
        case .staffRemoved: .staffRemoved
        case .staffInvited: .staffInvited
        case .invitationEnded: .invitationEnded
        case .staffJoined: .staffJoined
        case .roleChanged: .roleChanged
        case .transferOffered: .transferOffered
        case .transferLapsed: .transferLapsed
        case .shopTransferred: .shopTransferred
        case .employmentEnded: .employmentEnded
        case .shopMuted: .shopMuted
        case .shopUnmuted: .shopUnmuted
        case .shopSuspended: .shopSuspended
        case .shopReinstated: .shopReinstated
        case .shopClosed: .shopClosed
        case .campaignPublished: .campaignPublished
        case .campaignEnded: .campaignEnded
        case .campaignReopened: .campaignReopened
        case .campaignEdited: .campaignEdited
        case .codeIssued: .codeIssued
        case .codeDestroyed: .codeDestroyed
        case .paperCardsPrinted: .paperCardsPrinted
        case .paperStamped: .paperStamped
        case .paperCardTaken: .paperCardTaken
        case .paperStampReversed: .paperStampReversed
        case .cardOpened: .cardOpened
        case .cardStamped: .cardStamped
        case .cardDiscarded: .cardDiscarded
        case .cardAdjusted: .cardAdjusted
        case .stampReversed: .stampReversed
        case .cardExpired: .cardExpired
        case .cardReminded: .cardReminded
        case .waitingCardTaken: .waitingCardTaken
        case .redemptionRequested: .redemptionRequested
        case .cardRedeemed: .cardRedeemed
        case .redemptionReversed: .redemptionReversed
        case .milestoneRequested: .milestoneRequested
        case .milestoneRedeemed: .milestoneRedeemed
        case .milestoneReversed: .milestoneReversed
        case .reviewPosted: .reviewPosted
        case .replyPosted: .replyPosted
        case .reviewRemoved: .reviewRemoved
        case .noticePosted: .noticePosted
        case .noticeRead: .noticeRead
        case .noticeScheduled: .noticeScheduled
        case .noticeWithdrawn: .noticeWithdrawn
        case .noticeLapsed: .noticeLapsed
        case .feedbackGiven: .feedbackGiven
        case .imageTakenDown: .imageTakenDown
        case .favoriteAdded: .favoriteAdded
        case .favoriteRemoved: .favoriteRemoved
        }
    }

    /// The fields in the order in which they are shown, with the ids of the event's subject first.
    var fields: [FactField] {
        switch self {
        case .accountRegistered(let event): event.fields
        case .sessionStarted(let event): event.fields
        case .sessionRefreshed(let event): event.fields
        case .sessionEnded(let event): event.fields
        case .profileEdited(let event): event.fields
        case .passwordSet(let event): event.fields
        case .passwordRemoved(let event): event.fields
        case .accountErased(let event): event.fields
        case .phoneChanged(let event): event.fields
        case .accountSuspended(let event): event.fields
        case .accountReinstated(let event): event.fields
        case .accountSearched(let event): event.fields
        case .phoneChangeRequested(let event): event.fields
        case .phoneChangeEnded(let event): event.fields
        case .shopOpened(let event): event.fields
        case .shopEdited(let event): event.fields
        case .staffAdded(let event): event.fields
        case .staffRemoved(let event): event.fields
        case .staffInvited(let event): event.fields
        case .invitationEnded(let event): event.fields
        case .staffJoined(let event): event.fields
        case .roleChanged(let event): event.fields
        case .transferOffered(let event): event.fields
        case .transferLapsed(let event): event.fields
        case .shopTransferred(let event): event.fields
        case .employmentEnded(let event): event.fields
        case .shopMuted(let event): event.fields
        case .shopUnmuted(let event): event.fields
        case .shopSuspended(let event): event.fields
        case .shopReinstated(let event): event.fields
        case .shopClosed(let event): event.fields
        case .campaignPublished(let event): event.fields
        case .campaignEnded(let event): event.fields
        case .campaignReopened(let event): event.fields
        case .campaignEdited(let event): event.fields
        case .codeIssued(let event): event.fields
        case .codeDestroyed(let event): event.fields
        case .paperCardsPrinted(let event): event.fields
        case .paperStamped(let event): event.fields
        case .paperCardTaken(let event): event.fields
        case .paperStampReversed(let event): event.fields
        case .cardOpened(let event): event.fields
        case .cardStamped(let event): event.fields
        case .cardDiscarded(let event): event.fields
        case .cardAdjusted(let event): event.fields
        case .stampReversed(let event): event.fields
        case .cardExpired(let event): event.fields
        case .cardReminded(let event): event.fields
        case .waitingCardTaken(let event): event.fields
        case .redemptionRequested(let event): event.fields
        case .cardRedeemed(let event): event.fields
        case .redemptionReversed(let event): event.fields
        case .milestoneRequested(let event): event.fields
        case .milestoneRedeemed(let event): event.fields
        case .milestoneReversed(let event): event.fields
        case .reviewPosted(let event): event.fields
        case .replyPosted(let event): event.fields
        case .reviewRemoved(let event): event.fields
        case .noticePosted(let event): event.fields
        case .noticeRead(let event): event.fields
        case .noticeScheduled(let event): event.fields
        case .noticeWithdrawn(let event): event.fields
        case .noticeLapsed(let event): event.fields
        case .feedbackGiven(let event): event.fields
        case .imageTakenDown(let event): event.fields
        case .favoriteAdded(let event): event.fields
        case .favoriteRemoved(let event): event.fields
        }
    }
}

/// Fields for the text form of events about favourites, with one extension for each event type.
extension FavoriteAdded {
    var fields: [FactField] { [FactField("account", .id(account)), FactField("campaign", .id(campaign))] }
}

extension FavoriteRemoved {
    var fields: [FactField] { [FactField("account", .id(account)), FactField("campaign", .id(campaign))] }
}

/// Fields for the text form of events about removed reviews, feedback and removed pictures, with one extension for each event type.
extension ReviewRemoved {
    var fields: [FactField] {
        [
            FactField("review", .id(review)), FactField("thread", .id(thread)), FactField("shop", .id(shop)),
            FactField("author", .id(author)), FactField("byOperator", .symbol(byOperator ? "true" : "false")),
        ]
    }
}

extension FeedbackGiven {
    var fields: [FactField] {
        [FactField("author", .id(author)), FactField("text", .sealed(text))]
    }
}

extension ImageTakenDown {
    var fields: [FactField] {
        [FactField("image", .id(image)), FactField("byOperator", .symbol(byOperator ? "true" : "false"))]
    }
}

/// Fields for the text form of events about offers, staff and muted shops, with one extension for each event type.
extension StaffInvited {
    var fields: [FactField] {
        [
            FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)),
            FactField("expiresAt", .time(expiresAt)),
        ] + role.fields
    }
}

extension InvitationEnded {
    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension StaffJoined {
    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))] + role.fields
    }
}

extension RoleChanged {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("role", .symbol(role.name))]
            + (invitation.map { [FactField("invitation", .id($0))] } ?? [])
    }
}

extension EmploymentEnded {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopMuted {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopUnmuted {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension Role {
    /// The field of a role. The role ``Role/counter`` has no field, so that the text is the same as for events from before roles existed,
    /// when all staff had the rights of this role.
    fileprivate var fields: [FactField] { self == .counter ? [] : [FactField("role", .symbol(name))] }
}

extension TransferOffered {
    var fields: [FactField] {
        [
            FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)),
            FactField("expiresAt", .time(expiresAt)),
        ]
    }
}

extension TransferLapsed {
    var fields: [FactField] {
        [
            FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)),
            FactField("dueAt", .time(dueAt)),
        ]
    }
}

extension ShopTransferred {
    var fields: [FactField] {
        [
            FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)),
            FactField("formerOwner", .id(formerOwner)),
        ]
    }
}
