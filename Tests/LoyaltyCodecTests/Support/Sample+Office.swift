import Loyalty
import LoyaltyCodec

extension Sample {
    private static let mark = RequestMark(request: secret(0x12).value, digest: secret(0x13).value)
    private static let later = Instant(microseconds: time.microseconds + 300_000_000)
    private static let sealed = Sealed([1] + (0..<40).map { UInt8($0) &* 7 })
    private static let place = Coordinate(latitude: 23.1322, longitude: 113.3269)
    private static let schedule = ShopSchedule(
        timeZone: "Asia/Shanghai",
        openingHours: [OpeningHours(days: 31, fromMinute: 480, toMinute: 1_320), OpeningHours(days: 96, fromMinute: 600, toMinute: 120)])
    private static let milestones = [Milestone(at: 3, reward: "一块饼干"), Milestone(at: 6, reward: .sealed(sealed))]
    private static let caps = StampCaps(stampsPerDayMax: 3, minimumGapSeconds: 600)

    /// Events of owners and operators.
    static let office: [Sample] = [
        Sample(
            "ShopOpened.v4.images",
            .shopOpened(
                .init(
                    shop: id(2), owner: id(1), name: "茶颜 Green Tea", phone: "+8602088886666", address: "广州市天河路 1 号",
                    location: place, images: [id(0x17), id(0x16)])), mark: mark),
        Sample(
            "ShopEdited.v4",
            .shopEdited(
                .init(
                    shop: id(2), name: "茶颜", phone: "020 8888 6666", address: "广州市天河路 2 号", location: place,
                    images: [id(0x17), id(0x16), id(0x18)])), mark: mark),
        Sample(
            "ShopEdited.v4.noImages",
            .shopEdited(.init(shop: id(2), name: "Tea", phone: "123", address: "1 Tea Road", location: place, images: []))),
        Sample(
            "ShopEdited.v4.look",
            .shopEdited(
                .init(
                    shop: id(2), contact: .sealed(sealed), images: [id(0x17)], look: ShopLook(color: .teal, logo: id(0x16))))),
        Sample(
            "ShopEdited.v4.shownLogo",
            .shopEdited(
                .init(
                    shop: id(2), contact: .sealed(sealed), images: [id(0x17), id(0x16)], look: ShopLook(color: .brown, logo: id(0x16))))),
        Sample("StaffAdded.v1", .staffAdded(.init(shop: id(2), account: id(1))), mark: mark),
        Sample("StaffRemoved.v1", .staffRemoved(.init(shop: id(2), account: id(1))), mark: mark),
        Sample(
            "StaffInvited.v2", .staffInvited(.init(invitation: id(18), shop: id(2), account: id(1), expiresAt: later)), mark: mark),
        Sample(
            "StaffInvited.v2.manager",
            .staffInvited(.init(invitation: id(18), shop: id(2), account: id(1), expiresAt: later, role: .manager))),
        Sample("InvitationEnded.v1", .invitationEnded(.init(invitation: id(18), shop: id(2), account: id(1))), mark: mark),
        Sample("StaffLabeled.v1", .staffLabeled(.init(shop: id(2), account: id(1), label: .sealed(sealed))), mark: mark),
        Sample("StaffLabeled.v1.plain", .staffLabeled(.init(shop: id(2), account: id(1), label: "Mei"))),
        Sample("StaffLabeled.v1.none", .staffLabeled(.init(shop: id(2), account: id(1), label: ""))),
        Sample("WaitingOfferTaken.v1", .waitingOfferTaken(.init(invitation: id(18), shop: id(2), account: id(1)))),
        Sample("StaffJoined.v2", .staffJoined(.init(invitation: id(18), shop: id(2), account: id(1))), mark: mark),
        Sample("StaffJoined.v2.manager", .staffJoined(.init(invitation: id(18), shop: id(2), account: id(1), role: .manager))),
        Sample("RoleChanged.v1", .roleChanged(.init(shop: id(2), account: id(1), invitation: nil, role: .counter)), mark: mark),
        Sample("RoleChanged.v1.accepted", .roleChanged(.init(shop: id(2), account: id(1), invitation: id(18), role: .manager))),
        Sample(
            "TransferOffered.v1", .transferOffered(.init(invitation: id(18), shop: id(2), account: id(1), expiresAt: later)), mark: mark),
        Sample(
            "ShopTransferred.v1", .shopTransferred(.init(invitation: id(18), shop: id(2), account: id(1), formerOwner: id(0x21))),
            mark: mark),
        Sample("TransferLapsed.v1", .transferLapsed(.init(invitation: id(18), shop: id(2), account: id(1), dueAt: later))),
        Sample("EmploymentEnded.v1", .employmentEnded(.init(shop: id(2), account: id(1))), mark: mark),
        Sample("ShopMuted.v1", .shopMuted(.init(shop: id(2), account: id(1))), mark: mark),
        Sample("ShopUnmuted.v1", .shopUnmuted(.init(shop: id(2), account: id(1))), mark: mark),
        Sample("ShopSuspended.v2", .shopSuspended(.init(shop: id(2), reason: "出售集点码")), mark: mark),
        Sample("ShopReinstated.v2", .shopReinstated(.init(shop: id(2), reason: "已整改"))),
        Sample("ShopReinstated.v2.noReason", .shopReinstated(.init(shop: id(2), reason: ""))),
        Sample(
            "CampaignPublished.v6.capped",
            .campaignPublished(
                .init(
                    campaign: id(3), shop: id(2), kind: .stampCard,
                    terms: CampaignTerms(
                        title: "十杯送一", details: "", goal: 10, reward: "any tea", startsAt: time, endsAt: later, image: id(0x16), caps: caps)
                )), mark: mark),
        Sample(
            "CampaignEdited.v5",
            .campaignEdited(
                .init(
                    campaign: id(3), shop: id(2),
                    terms: CampaignTerms(
                        title: "九杯送一", details: "Nine cups, the tenth is free.", goal: 9, reward: "any tea", startsAt: time, endsAt: later,
                        image: id(0x16), caps: caps))), mark: mark),
        Sample(
            "CampaignEdited.v5.plain",
            .campaignEdited(
                .init(
                    campaign: id(3), shop: id(2),
                    terms: CampaignTerms(
                        title: "新品", details: "", goal: 0, reward: "", startsAt: time, endsAt: later, image: nil, caps: .none)))),
        Sample(
            "CampaignEdited.v5.sealed",
            .campaignEdited(
                .init(
                    campaign: id(3), shop: id(2),
                    terms: CampaignTerms(
                        title: .sealed(sealed), details: .sealed(sealed), goal: 9, reward: .sealed(sealed), startsAt: time, endsAt: later,
                        image: nil, caps: .none)))),
        Sample(
            "CardAdjusted.v2",
            .cardAdjusted(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), stamps: 2, reason: "漏记")), mark: mark),
        Sample(
            "CardAdjusted.v2.less",
            .cardAdjusted(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), stamps: -3, reason: "Counted twice"))),
        Sample(
            "RedemptionReversed.v3",
            .redemptionReversed(
                .init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), reason: "Wrong card")), mark: mark),
        Sample(
            "StampReversed.v4",
            .stampReversed(.init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 3, reason: "退款")),
            mark: mark),
        Sample(
            "StampReversed.v4.sealed",
            .stampReversed(
                .init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 10, reason: .sealed(sealed)))),
        Sample(
            "StampReversed.v4.part",
            .stampReversed(
                .init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 1, reason: "Refunded", left: 2))),
        Sample("CampaignReopened.v1", .campaignReopened(.init(campaign: id(3), shop: id(2), endsAt: later)), mark: mark),
        Sample("ShopOpened.v4.sealed", .shopOpened(.init(shop: id(2), owner: id(1), contact: .sealed(sealed), images: [id(0x16)]))),
        Sample("ShopEdited.v4.sealed", .shopEdited(.init(shop: id(2), contact: .sealed(sealed), images: [])), mark: mark),
        Sample(
            "ShopOpened.v4.schedule",
            .shopOpened(.init(shop: id(2), owner: id(1), contact: .sealed(sealed), schedule: schedule))),
        Sample(
            "ShopEdited.v4.schedule",
            .shopEdited(.init(shop: id(2), contact: .sealed(sealed), images: [], schedule: schedule))),
        Sample(
            "ShopEdited.v4.neverOpen",
            .shopEdited(.init(shop: id(2), contact: .sealed(sealed), images: [], schedule: ShopSchedule(openingHours: [])))),
        Sample("ShopSuspended.v2.sealed", .shopSuspended(.init(shop: id(2), reason: .sealed(sealed)))),
        Sample("ShopReinstated.v2.sealed", .shopReinstated(.init(shop: id(2), reason: .sealed(sealed)))),
        Sample(
            "CardAdjusted.v2.sealed",
            .cardAdjusted(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), stamps: 2, reason: .sealed(sealed)))),
        Sample(
            "RedemptionReversed.v3.sealed",
            .redemptionReversed(
                .init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), reason: .sealed(sealed)))),
        Sample("ShopClosed.v1", .shopClosed(.init(shop: id(2), redeemUntil: later, erasesContact: true)), mark: mark),
        Sample("ShopClosed.v1.reason", .shopClosed(.init(shop: id(2), redeemUntil: later, erasesContact: false, reason: sealed))),
        Sample(
            "CampaignPublished.v6.options",
            .campaignPublished(
                .init(
                    campaign: id(3), shop: id(2), kind: .stampCard,
                    terms: CampaignTerms(
                        title: "十杯送一", details: "", goal: 10, reward: "any tea", startsAt: time, endsAt: later, options: options))),
            mark: mark),
        Sample(
            "CampaignEdited.v5.options",
            .campaignEdited(
                .init(
                    campaign: id(3), shop: id(2),
                    terms: CampaignTerms(
                        title: "十杯送一", details: "", goal: 10, reward: "any tea", startsAt: time, endsAt: later,
                        options: CampaignOptions(welcomeStamps: 2))))),
        Sample(
            "CardOpened.v6.terms",
            .cardOpened(
                .init(
                    card: id(5), campaign: id(3), shop: id(2), holder: id(1), goal: 10, reward: "any tea",
                    terms: CardTerms(expiresAt: later, redeemUntil: later)))),
        Sample(
            "CardOpened.v6.coupon",
            .cardOpened(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), goal: 0, reward: .sealed(sealed))), mark: mark),
        Sample(
            "CampaignPublished.v6.coupon",
            .campaignPublished(
                .init(
                    campaign: id(3), shop: id(2), kind: .coupon,
                    terms: CampaignTerms(
                        title: "迎新券", details: "", goal: 0, reward: "any tea", startsAt: time, endsAt: later,
                        options: CampaignOptions(redeemUntil: later))))),
        Sample(
            "CampaignPublished.v6.milestones",
            .campaignPublished(
                .init(
                    campaign: id(3), shop: id(2), kind: .stampCard,
                    terms: CampaignTerms(
                        title: "十杯送一", details: "", goal: 10, reward: "any tea", startsAt: time, endsAt: later,
                        options: CampaignOptions(milestones: milestones))))),
        Sample(
            "CampaignEdited.v5.milestones",
            .campaignEdited(
                .init(
                    campaign: id(3), shop: id(2),
                    terms: CampaignTerms(
                        title: "十杯送一", details: "", goal: 50, reward: "any tea", startsAt: time, endsAt: later,
                        options: CampaignOptions(milestones: (40...49).map { Milestone(at: $0, reward: .clear("\($0)")) }))))),
        Sample(
            "CardOpened.v6.milestones",
            .cardOpened(
                .init(
                    card: id(5), campaign: id(3), shop: id(2), holder: id(1), goal: 10, reward: .sealed(sealed),
                    terms: CardTerms(expiresAt: nil, redeemUntil: later, milestones: milestones))), mark: mark),
        Sample(
            "MilestoneRequested.v1",
            .milestoneRequested(
                .init(
                    redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), secret: secret(10), milestone: 3,
                    attempt: 1, expiresAt: later)), mark: mark),
        Sample(
            "MilestoneRedeemed.v2",
            .milestoneRedeemed(.init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), milestone: 3)), mark: mark
        ),
        Sample(
            "MilestoneReversed.v2",
            .milestoneReversed(
                .init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), milestone: 49, reason: .sealed(sealed))),
            mark: mark),
        Sample(
            "MilestoneReversed.v2.clear",
            .milestoneReversed(
                .init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), milestone: 1, reason: "拿错了"))),
        Sample(
            "CardStamped.v3.welcome",
            .cardStamped(.init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 50, worth: 10))),
        Sample(
            "CardStamped.v3.lapsed",
            .cardStamped(.init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 1, worth: 3)), mark: mark),
        Sample(
            "StampReversed.v4.fifty",
            .stampReversed(.init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 50, reason: ""))),
        Sample("CardExpired.v1", .cardExpired(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), dueAt: later))),
        Sample(
            "CardExpired.v1.marked", .cardExpired(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), dueAt: time)),
            mark: mark),
        Sample(
            "CardReminded.v1",
            .cardReminded(
                .init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), notice: id(0x17), daysLeft: 14, dueAt: time))),
        Sample(
            "CardReminded.v1.two",
            .cardReminded(
                .init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), notice: id(0x17), daysLeft: 2, dueAt: later))),
        Sample(
            "WaitingCardTaken.v1",
            .waitingCardTaken(
                .init(
                    card: id(5), campaign: id(3), shop: id(2), holder: id(1), from: id(0x20), goal: 10, stamps: 4, codes: 2, worth: 4)),
            mark: mark),
        Sample(
            "WaitingCardTaken.v1.own",
            .waitingCardTaken(
                .init(card: id(0x21), campaign: id(3), shop: id(2), holder: id(1), from: nil, goal: 10, stamps: 10, moved: 3))),
        Sample(
            "WaitingCardTaken.v1.moved",
            .waitingCardTaken(
                .init(
                    card: id(5), campaign: id(3), shop: id(2), holder: id(1), from: id(0x20), goal: 10, stamps: 0, moved: 3,
                    onto: id(0x21), codes: 1, worth: 3))),
    ]

    private static let options = CampaignOptions(
        repeats: 3, welcomeStamps: 2, redeemUntil: later, cardValidDays: 365,
        bonuses: [
            BonusHours(days: Weekdays(rawValue: 0x1F), fromMinute: 840, toMinute: 960, factor: 2),
            BonusHours(days: .all, fromMinute: 1_320, toMinute: 60, factor: 5),
        ])
}
