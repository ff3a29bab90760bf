/// The closed list of the event types and their numbers. The name of a type, and the stored bytes of each of its versions, never change.
///
/// Types about the same subject, such as cards, share a group of ten numbers. If the group is full, a new type gets a number elsewhere. No
/// number is ever reused.
enum WireType: UInt16, CaseIterable {
    case accountRegistered = 1
    case sessionStarted = 2
    case sessionRefreshed = 3
    case sessionEnded = 4
    case profileEdited = 5
    case passwordSet = 6
    case accountErased = 7
    case passwordRemoved = 8
    case phoneChanged = 9
    case shopOpened = 10
    case shopEdited = 11
    case staffAdded = 12
    case staffRemoved = 13
    case shopSuspended = 14
    case shopReinstated = 15
    case campaignPublished = 20
    case campaignEnded = 21
    case campaignEdited = 22
    case campaignReopened = 23
    case codeIssued = 30
    case codeDestroyed = 31
    case cardOpened = 40
    case cardStamped = 41
    case cardDiscarded = 42
    case cardAdjusted = 43
    case stampReversed = 44
    case cardExpired = 45
    case cardReminded = 46
    case waitingCardTaken = 47
    case redemptionRequested = 50
    case cardRedeemed = 51
    case redemptionReversed = 52
    case milestoneRequested = 53
    case milestoneRedeemed = 54
    case milestoneReversed = 55
    case reviewPosted = 60
    case replyPosted = 61
    case reviewRemoved = 62
    case favoriteAdded = 70
    case favoriteRemoved = 71
    case noticePosted = 80
    case noticeRead = 81
    case noticeScheduled = 82
    case noticeWithdrawn = 83
    case noticeLapsed = 84
    case feedbackGiven = 90
    case staffInvited = 100
    case invitationEnded = 101
    case staffJoined = 102
    case employmentEnded = 103
    case shopMuted = 104
    case shopUnmuted = 105
    case roleChanged = 106
    case transferOffered = 107
    case shopTransferred = 108
    case transferLapsed = 109
    case shopClosed = 111
    case imageTakenDown = 120
    case accountSuspended = 140
    case accountReinstated = 141
    case accountSearched = 142
    case phoneChangeRequested = 143
    case phoneChangeEnded = 144
    case paperCardsPrinted = 150
    case paperStamped = 151
    case paperCardTaken = 152
    case paperStampReversed = 153

    /// The name of the type. Each log stores it once, together with the type's number.
    var name: String {
        switch self {
        case .accountRegistered: "AccountRegistered"
        case .sessionStarted: "SessionStarted"
        case .sessionRefreshed: "SessionRefreshed"
        case .sessionEnded: "SessionEnded"
        case .profileEdited: "ProfileEdited"
        case .passwordSet: "PasswordSet"
        case .accountErased: "AccountErased"
        case .passwordRemoved: "PasswordRemoved"
        case .shopOpened: "ShopOpened"
        case .shopEdited: "ShopEdited"
        case .staffAdded: "StaffAdded"
        case .staffRemoved: "StaffRemoved"
        case .shopSuspended: "ShopSuspended"
        case .shopReinstated: "ShopReinstated"
        case .campaignPublished: "CampaignPublished"
        case .campaignEnded: "CampaignEnded"
        case .campaignEdited: "CampaignEdited"
        case .campaignReopened: "CampaignReopened"
        case .codeIssued: "CodeIssued"
        case .codeDestroyed: "CodeDestroyed"
        case .cardOpened: "CardOpened"
        case .cardStamped: "CardStamped"
        case .cardDiscarded: "CardDiscarded"
        case .cardAdjusted: "CardAdjusted"
        case .stampReversed: "StampReversed"
        case .cardExpired: "CardExpired"
        case .cardReminded: "CardReminded"
        case .waitingCardTaken: "WaitingCardTaken"
        case .redemptionRequested: "RedemptionRequested"
        case .cardRedeemed: "CardRedeemed"
        case .redemptionReversed: "RedemptionReversed"
        case .milestoneRequested: "MilestoneRequested"
        case .milestoneRedeemed: "MilestoneRedeemed"
        case .milestoneReversed: "MilestoneReversed"
        case .reviewPosted: "ReviewPosted"
        case .replyPosted: "ReplyPosted"
        case .reviewRemoved: "ReviewRemoved"
        case .noticePosted: "NoticePosted"
        case .noticeRead: "NoticeRead"
        case .noticeScheduled: "NoticeScheduled"
        case .noticeWithdrawn: "NoticeWithdrawn"
        case .noticeLapsed: "NoticeLapsed"
        case .favoriteAdded: "FavoriteAdded"
        case .favoriteRemoved: "FavoriteRemoved"
        case .feedbackGiven: "FeedbackGiven"
        case .staffInvited: "StaffInvited"
        case .invitationEnded: "InvitationEnded"
        case .staffJoined: "StaffJoined"
        case .employmentEnded: "EmploymentEnded"
        case .shopMuted: "ShopMuted"
        case .shopUnmuted: "ShopUnmuted"
        case .roleChanged: "RoleChanged"
        case .transferOffered: "TransferOffered"
        case .shopTransferred: "ShopTransferred"
        case .transferLapsed: "TransferLapsed"
        case .shopClosed: "ShopClosed"
        case .imageTakenDown: "ImageTakenDown"
        case .phoneChanged: "PhoneChanged"
        case .accountSuspended: "AccountSuspended"
        case .accountReinstated: "AccountReinstated"
        case .accountSearched: "AccountSearched"
        case .phoneChangeRequested: "PhoneChangeRequested"
        case .phoneChangeEnded: "PhoneChangeEnded"
        case .paperCardsPrinted: "PaperCardsPrinted"
        case .paperStamped: "PaperStamped"
        case .paperCardTaken: "PaperCardTaken"
        case .paperStampReversed: "PaperStampReversed"
        }
    }

    /// Types that are no longer written and that ``LoyaltyEvent`` no longer has. Their numbers and names are never used again. An
    /// ``Upcaster`` reads each of their versions, including the last version.
    static let retired: Set<WireType> = []

    /// The schema version that is written today; for a retired type, the last version that was written. Older versions stay readable for
    /// ever.
    var currentVersion: UInt16 {
        switch self {
        // Version 2 added images and caps, version 3 sealed texts, version 4 options, version 5 milestones, version 6 campaigns of several
        // shops.
        case .campaignPublished: 6
        // Version 2 added sealed texts, version 3 options, version 4 milestones, version 5 campaigns of several shops.
        case .campaignEdited: 5
        // Version 2 added sealed rewards, version 3 terms, version 4 coupons, version 5 milestones, version 6 campaigns of several shops.
        case .cardOpened: 6
        // Version 2 added codes that give more stamps than their worth, version 3 campaigns of several shops.
        case .cardStamped, .stampReversed: 3
        // Version 2 added campaigns of several shops.
        case .codeIssued, .cardRedeemed, .milestoneRedeemed, .milestoneReversed, .paperStamped, .paperStampReversed: 2
        // Version 2 added images, version 3 sealed contact data, version 4 time zones and opening hours.
        case .shopOpened: 4
        // Version 2 added sealed contact data, version 3 time zones and opening hours.
        case .shopEdited: 3
        // Version 2 added the roles of staff.
        case .staffInvited, .staffJoined: 2
        // Version 2 added sealed reasons.
        case .shopSuspended, .shopReinstated, .cardAdjusted: 2
        // Version 2 added sealed reasons, version 3 campaigns of several shops.
        case .redemptionReversed: 3
        // Version 2 added due times, and notices to the holders of a campaign's cards.
        case .noticePosted: 2
        default: 1
        }
    }
}
