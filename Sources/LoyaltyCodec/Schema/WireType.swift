/// The event types by number, as one closed list: what has a case here has a name, a version and bytes, for ever.
///
/// Numbers are grouped by noun, ten apart, and never reused.
enum WireType: UInt16, CaseIterable {
    case accountRegistered = 1
    case sessionStarted = 2
    case sessionRefreshed = 3
    case sessionEnded = 4
    case profileEdited = 5
    case passwordSet = 6
    case accountErased = 7
    case shopOpened = 10
    case campaignPublished = 20
    case campaignEnded = 21
    case codeIssued = 30
    case codeDestroyed = 31
    case cardOpened = 40
    case cardStamped = 41
    case cardDiscarded = 42
    case redemptionRequested = 50
    case cardRedeemed = 51
    case reviewPosted = 60
    case replyPosted = 61

    /// The name under which the log interns the number.
    var name: String {
        switch self {
        case .accountRegistered: "AccountRegistered"
        case .sessionStarted: "SessionStarted"
        case .sessionRefreshed: "SessionRefreshed"
        case .sessionEnded: "SessionEnded"
        case .profileEdited: "ProfileEdited"
        case .passwordSet: "PasswordSet"
        case .accountErased: "AccountErased"
        case .shopOpened: "ShopOpened"
        case .campaignPublished: "CampaignPublished"
        case .campaignEnded: "CampaignEnded"
        case .codeIssued: "CodeIssued"
        case .codeDestroyed: "CodeDestroyed"
        case .cardOpened: "CardOpened"
        case .cardStamped: "CardStamped"
        case .cardDiscarded: "CardDiscarded"
        case .redemptionRequested: "RedemptionRequested"
        case .cardRedeemed: "CardRedeemed"
        case .reviewPosted: "ReviewPosted"
        case .replyPosted: "ReplyPosted"
        }
    }
}
