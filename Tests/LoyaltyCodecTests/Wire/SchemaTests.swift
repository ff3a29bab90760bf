import EventLog
import LoyaltyCodec
import Testing

/// Every log stores the numbers and names of the schema, so none of them may ever change.
struct SchemaTests {
    @Test("Event types keep their numbers and names")
    func typeNumbers() {
        let expected: [UInt16: String] = [
            1: "AccountRegistered", 2: "SessionStarted", 3: "SessionRefreshed", 4: "SessionEnded",
            5: "ProfileEdited", 6: "PasswordSet", 7: "AccountErased", 8: "PasswordRemoved", 10: "ShopOpened",
            20: "CampaignPublished", 21: "CampaignEnded", 30: "CodeIssued", 31: "CodeDestroyed", 40: "CardOpened",
            41: "CardStamped", 42: "CardDiscarded", 50: "RedemptionRequested", 51: "CardRedeemed", 60: "ReviewPosted",
            61: "ReplyPosted", 11: "ShopEdited", 12: "StaffAdded", 13: "StaffRemoved", 14: "ShopSuspended", 15: "ShopReinstated",
            22: "CampaignEdited", 23: "CampaignReopened", 43: "CardAdjusted", 44: "StampReversed", 45: "CardExpired",
            46: "CardReminded", 47: "WaitingCardTaken",
            52: "RedemptionReversed", 53: "MilestoneRequested", 54: "MilestoneRedeemed", 55: "MilestoneReversed",
            62: "ReviewRemoved", 80: "NoticePosted", 81: "NoticeRead", 82: "NoticeScheduled",
            83: "NoticeWithdrawn", 84: "NoticeLapsed", 90: "FeedbackGiven",
            70: "FavoriteAdded", 71: "FavoriteRemoved",
            100: "StaffInvited", 101: "InvitationEnded", 102: "StaffJoined", 103: "EmploymentEnded", 104: "ShopMuted",
            105: "ShopUnmuted", 106: "RoleChanged", 107: "TransferOffered", 108: "ShopTransferred", 109: "TransferLapsed",
            110: "StaffLabeled", 111: "ShopClosed", 112: "WaitingOfferTaken",
            120: "ImageTakenDown", 9: "PhoneChanged", 140: "AccountSuspended",
            141: "AccountReinstated", 142: "AccountSearched", 143: "PhoneChangeRequested", 144: "PhoneChangeEnded",
            150: "PaperCardsPrinted", 151: "PaperStamped", 152: "PaperCardTaken", 153: "PaperStampReversed",
            170: "SearchSaved", 171: "SearchEdited", 172: "SearchRemoved", 173: "SearchSeen", 174: "SearchAlerted",
        ]
        let names = LoyaltySchema.schema.types.map { ($0.rawValue, $1) }
        #expect(Dictionary(uniqueKeysWithValues: names) == expected)
    }

    @Test("The constant of each event type has the number of that type")
    func typeConstants() {
        let pairs: [(EventType, UInt16)] = [
            (.accountRegistered, 1), (.sessionStarted, 2), (.sessionRefreshed, 3), (.sessionEnded, 4),
            (.profileEdited, 5), (.passwordSet, 6), (.accountErased, 7), (.passwordRemoved, 8), (.shopOpened, 10), (.shopClosed, 111),
            (.campaignPublished, 20), (.campaignEnded, 21), (.codeIssued, 30), (.codeDestroyed, 31), (.cardOpened, 40),
            (.cardStamped, 41), (.cardDiscarded, 42), (.redemptionRequested, 50), (.cardRedeemed, 51), (.reviewPosted, 60),
            (.replyPosted, 61), (.shopEdited, 11), (.staffAdded, 12), (.staffRemoved, 13), (.shopSuspended, 14),
            (.shopReinstated, 15), (.campaignEdited, 22), (.campaignReopened, 23), (.cardAdjusted, 43), (.stampReversed, 44),
            (.cardExpired, 45), (.cardReminded, 46), (.waitingCardTaken, 47),
            (.redemptionReversed, 52), (.milestoneRequested, 53), (.milestoneRedeemed, 54), (.milestoneReversed, 55),
            (.reviewRemoved, 62), (.noticePosted, 80), (.noticeRead, 81), (.noticeScheduled, 82), (.noticeWithdrawn, 83),
            (.noticeLapsed, 84), (.feedbackGiven, 90),
            (.favoriteAdded, 70), (.favoriteRemoved, 71),
            (.staffInvited, 100), (.invitationEnded, 101), (.staffJoined, 102), (.employmentEnded, 103), (.shopMuted, 104),
            (.shopUnmuted, 105), (.roleChanged, 106), (.transferOffered, 107), (.shopTransferred, 108), (.transferLapsed, 109),
            (.staffLabeled, 110), (.waitingOfferTaken, 112), (.imageTakenDown, 120),
            (.phoneChanged, 9), (.accountSuspended, 140), (.accountReinstated, 141),
            (.accountSearched, 142), (.phoneChangeRequested, 143), (.phoneChangeEnded, 144),
            (.paperCardsPrinted, 150), (.paperStamped, 151), (.paperCardTaken, 152), (.paperStampReversed, 153),
            (.searchSaved, 170), (.searchEdited, 171), (.searchRemoved, 172), (.searchSeen, 173), (.searchAlerted, 174),
        ]
        for (type, number) in pairs { #expect(type.rawValue == number) }
    }

    @Test("Tag kinds keep their numbers and names")
    func kindNumbers() {
        let expected: [UInt8: String] = [
            1: "account", 2: "shop", 3: "campaign", 4: "code", 5: "card", 6: "redemption", 7: "review", 8: "session",
            9: "codeSecret", 10: "redemptionSecret", 11: "phone", 12: "request", 13: "digest", 14: "parent", 15: "thread",
            16: "image", 17: "notice", 18: "invitation", 19: "formerOwner", 23: "print", 24: "paper", 25: "printSecret", 26: "home",
            37: "search",
        ]
        let names = LoyaltySchema.schema.tagKinds.map { ($0.rawValue, $1.name) }
        #expect(Dictionary(uniqueKeysWithValues: names) == expected)
    }

    @Test("The constant of each tag kind has the number of that kind")
    func kindConstants() {
        let kinds: [TagKind] = [
            .account, .shop, .campaign, .code, .card, .redemption, .review, .session, .codeSecret, .redemptionSecret, .phone,
            .request, .digest, .parent, .thread, .image, .notice, .invitation, .formerOwner, .print, .paper, .printSecret, .home,
            .search,
        ]
        #expect(kinds.map(\.rawValue) == Array(1...19) + [23, 24, 25, 26, 37])
    }

    @Test("Every tag kind except the digest is indexed")
    func indexedKinds() {
        #expect(LoyaltySchema.schema.tagKinds.filter { !$1.isIndexed }.map(\.key) == [.digest])
    }
}
