import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// The tags of each event. The index and every query rely on them.
struct TagTableTests {
    private static let table: [String: [TagKind]] = [
        "AccountRegistered": [.account, .phone],
        "SessionStarted": [.account, .session],
        "SessionRefreshed": [.account, .session],
        "SessionEnded": [.account, .session],
        "ProfileEdited": [.account],
        "PasswordSet": [.account], "PasswordRemoved": [.account],
        "AccountErased": [.account],
        "PhoneChanged": [.account], "PhoneChangeRequested": [.account], "PhoneChangeEnded": [.account],
        "AccountSuspended": [.account], "AccountReinstated": [.account], "AccountSearched": [],
        "ShopOpened": [.account, .shop],
        "ShopEdited": [.shop],
        "StaffAdded": [.account, .shop],
        "StaffRemoved": [.account, .shop],
        "StaffInvited": [.account, .shop, .invitation],
        "InvitationEnded": [.account, .shop, .invitation],
        "StaffJoined": [.account, .shop, .invitation],
        "StaffLabeled": [.account, .shop],
        "WaitingOfferTaken": [.account, .shop, .invitation],
        "RoleChanged": [.account, .shop],
        "TransferOffered": [.account, .shop, .invitation],
        "TransferLapsed": [.account, .shop, .invitation],
        "ShopTransferred": [.account, .shop, .invitation, .formerOwner],
        "EmploymentEnded": [.account, .shop],
        "ShopMuted": [.account, .shop],
        "ShopUnmuted": [.account, .shop],
        "ShopSuspended": [.shop],
        "ShopReinstated": [.shop],
        "ShopClosed": [.shop],
        "CampaignPublished": [.shop, .campaign],
        "CampaignEnded": [.shop, .campaign],
        "CampaignEdited": [.shop, .campaign],
        "CampaignReopened": [.shop, .campaign],
        "CodeIssued": [.shop, .campaign, .code, .codeSecret],
        "CodeDestroyed": [.shop, .campaign, .code],
        "PaperCardsPrinted": [.shop, .campaign, .print, .printSecret],
        "PaperStamped": [.shop, .campaign, .code, .print, .paper],
        "PaperCardTaken": [.account, .shop, .campaign, .print, .paper],
        "PaperStampReversed": [.shop, .campaign, .code, .print, .paper],
        "CardOpened": [.account, .shop, .campaign, .card],
        "CardStamped": [.account, .shop, .campaign, .code, .card],
        "CardDiscarded": [.account, .shop, .campaign, .card],
        "CardAdjusted": [.account, .shop, .campaign, .card],
        "StampReversed": [.account, .shop, .campaign, .code, .card],
        "CardExpired": [.account, .shop, .campaign, .card],
        "CardReminded": [.account, .shop, .campaign, .card, .notice],
        "WaitingCardTaken": [.account, .shop, .campaign, .card],
        "RedemptionRequested": [.account, .shop, .campaign, .card, .redemption, .redemptionSecret],
        "CardRedeemed": [.account, .shop, .campaign, .card, .redemption],
        "RedemptionReversed": [.account, .shop, .campaign, .card, .redemption],
        "MilestoneRequested": [.account, .shop, .campaign, .card, .redemption, .redemptionSecret],
        "MilestoneRedeemed": [.account, .shop, .campaign, .card, .redemption],
        "MilestoneReversed": [.account, .shop, .campaign, .card, .redemption],
        "ReviewPosted": [.account, .shop, .review],
        "ReplyPosted": [.account, .shop, .review, .parent, .thread],
        "ReviewRemoved": [.account, .shop, .review, .thread],
        "NoticePosted": [.account, .shop, .notice],
        "NoticeRead": [.account, .notice],
        "NoticeScheduled": [.account, .shop, .notice],
        "NoticeWithdrawn": [.account, .notice],
        "NoticeLapsed": [.account, .notice],
        "FeedbackGiven": [.account],
        "ImageTakenDown": [],
        "FavoriteAdded": [.account, .campaign],
        "FavoriteRemoved": [.account, .campaign],
    ]

    @Test("An event has the tags that the table names for its type, and those of its images come last", arguments: Sample.all.indices)
    func eachEventHasItsTags(_ index: Int) throws {
        let sample = Sample.all[index]
        let event = try LoyaltyCodec.encode(sample.event, by: Sample.actor, at: Sample.time, mark: nil)
        let name = try #require(LoyaltySchema.schema.types[event.type])
        // Both tags of a search are optional; elsewhere four kinds are: images, the campaign's own shop (`home`), the invitation with which
        // a member got a higher role, and the campaign of a notice for its card holders. Images come last.
        let isForHolders =
            name.hasPrefix("Notice") && event.tags.contains { $0.kind == .campaign } && event.tags.contains { $0.kind == .notice }
        let isOptional: (TagKind) -> Bool = {
            $0 == .image || $0 == .home || name == "AccountSearched" || (name == "RoleChanged" && $0 == .invitation)
                || (isForHolders && $0 == .campaign)
        }
        #expect(event.tags.map(\.kind).filter { !isOptional($0) } == Self.table[name])
        #expect(event.tags.drop { $0.kind != .image }.allSatisfy { $0.kind == .image })
    }

    @Test("An event at another shop has the campaign's own shop as its home tag, and is found by the shop at which it happened")
    func home() throws {
        for sample in Sample.all where sample.name.contains("elsewhere") {
            let event = try LoyaltyCodec.encode(sample.event, by: Sample.actor, at: Sample.time, mark: nil)
            let (home, shop): (ShopID, ShopID) = (Sample.id(0x20), Sample.id(2))
            #expect(event.tags.last == Tag(kind: .home, value: home.value), "\(sample.name)")
            #expect(event.tags.filter { $0.kind == .shop }.map(\.value) == [shop.value], "\(sample.name)")
        }
    }

    @Test("A shop or campaign that shows an image has a tag for it")
    func imageTags() throws {
        let images = [ImageID(9), ImageID(4), ImageID(7)]
        let place = Coordinate(latitude: 1, longitude: 1)
        let shop = ShopEdited(shop: .init(2), name: "", phone: "", address: "", location: place, images: images)
        let campaign = CampaignPublished(
            campaign: .init(3), shop: .init(2), kind: .promotion,
            terms: CampaignTerms(
                title: "", details: "", goal: 0, reward: "", startsAt: Sample.time, endsAt: Sample.time, image: ImageID(5)))
        let ofShop = try LoyaltyCodec.encode(.shopEdited(shop), by: .init(1), at: Sample.time, mark: nil).tags
        #expect(ofShop == [EventTag(.shop, 2), EventTag(.image, 4), EventTag(.image, 7), EventTag(.image, 9)])
        let logo = ShopEdited(shop: .init(2), contact: shop.contact, images: images, look: ShopLook(logo: ImageID(5)))
        let withLogo = try LoyaltyCodec.encode(.shopEdited(logo), by: .init(1), at: Sample.time, mark: nil).tags
        #expect(withLogo == [EventTag(.shop, 2)] + [4, 5, 7, 9].map { EventTag(.image, $0) })
        let ofCampaign = try LoyaltyCodec.encode(.campaignPublished(campaign), by: .init(1), at: Sample.time, mark: nil).tags
        #expect(ofCampaign == [EventTag(.shop, 2), EventTag(.campaign, 3), EventTag(.image, 5)])
    }

    @Test("A stamp consists of its tags alone, without a payload")
    func aStampIsItsTags() throws {
        let stamp = CardStamped(card: .init(5), code: .init(4), campaign: .init(3), shop: .init(2), holder: .init(1), stamps: 1)
        let event = try LoyaltyCodec.encode(.cardStamped(stamp), by: .init(1), at: Sample.time, mark: nil)
        #expect(event.payload.isEmpty)
        #expect(event.tags == [EventTag(.account, 1), EventTag(.shop, 2), EventTag(.campaign, 3), EventTag(.code, 4), EventTag(.card, 5)])
    }

    @Test("The mark of a request is stored as two tags")
    func markTags() throws {
        let mark = RequestMark(request: 77, digest: 88)
        let event = LoyaltyEvent.campaignEnded(.init(campaign: .init(3), shop: .init(2)))
        let tags = try LoyaltyCodec.encode(event, by: .init(1), at: Sample.time, mark: mark).tags
        #expect(tags == [EventTag(.shop, 2), EventTag(.campaign, 3), EventTag(.request, 77), EventTag(.digest, 88)])
    }

    @Test("An encoded event has its actor, its time and its version")
    func envelope() throws {
        let event = try LoyaltyCodec.encode(
            .campaignEnded(.init(campaign: .init(3), shop: .init(2))), by: .init(9), at: Instant(microseconds: -5), mark: nil)
        #expect(event.actor == 9)
        #expect(event.time == Timestamp(microseconds: -5))
        #expect(event.schemaVersion == 1)
    }

    @Test("A notice to everybody has the tag of shop zero, which is none")
    func noticeToAll() throws {
        let notice = NoticePosted(notice: .init(9), audience: .all, author: .init(1), title: Sealed([1]), text: Sealed([2]))
        let event = try LoyaltyCodec.encode(.noticePosted(notice), by: .init(1), at: Sample.time, mark: nil)
        #expect(event.tags == [EventTag(.account, 1), EventTag(.shop, 0), EventTag(.notice, 9)])
    }
}
