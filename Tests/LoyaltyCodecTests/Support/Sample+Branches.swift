import Loyalty
import LoyaltyCodec

/// Campaigns of several shops, and events at another shop than the campaign's own.
extension Sample {
    private static let mark = RequestMark(request: secret(0x12).value, digest: secret(0x13).value)
    private static let later = Instant(microseconds: time.microseconds + 300_000_000)

    static let branches: [Sample] = [
        Sample(
            "CampaignPublished.v6.shops",
            .campaignPublished(.init(campaign: id(3), shop: id(0x20), kind: .stampCard, terms: shared([id(2), id(0x21)]))), mark: mark),
        Sample("CampaignEdited.v5.shops", .campaignEdited(.init(campaign: id(3), shop: id(0x20), terms: shared([id(2)])))),
        Sample(
            "CodeIssued.v2.elsewhere",
            .codeIssued(
                .init(
                    code: id(4), campaign: id(3), shop: id(2), home: id(0x20), secret: secret(9), attempt: 0, stamps: 2, expiresAt: later)),
            mark: mark),
        Sample(
            "CardOpened.v6.elsewhere",
            .cardOpened(
                .init(card: id(5), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1), goal: 10, reward: "any tea")), mark: mark),
        Sample(
            "CardStamped.v3.elsewhere",
            .cardStamped(
                .init(card: id(5), code: id(4), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1), stamps: 1)), mark: mark),
        Sample(
            "CardStamped.v3.elsewhere.three",
            .cardStamped(.init(card: id(5), code: id(4), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1), stamps: 3))),
        Sample(
            "StampReversed.v4.elsewhere",
            .stampReversed(
                .init(
                    card: id(5), code: id(4), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1), stamps: 2, reason: "Refunded"))),
        Sample(
            "CardRedeemed.v2.elsewhere",
            .cardRedeemed(.init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1))), mark: mark),
        Sample(
            "RedemptionReversed.v3.elsewhere",
            .redemptionReversed(
                .init(
                    redemption: id(6), card: id(5), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1), reason: "Wrong card"))),
        Sample(
            "MilestoneRedeemed.v2.elsewhere",
            .milestoneRedeemed(
                .init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1), milestone: 3)),
            mark: mark),
        Sample(
            "MilestoneReversed.v2.elsewhere",
            .milestoneReversed(
                .init(
                    redemption: id(6), card: id(5), campaign: id(3), shop: id(2), home: id(0x20), holder: id(1), milestone: 3,
                    reason: "Wrong card"))),
        Sample(
            "PaperStamped.v2.elsewhere",
            .paperStamped(
                .init(
                    paper: PaperName(print: id(0x30), number: 7), code: id(4), campaign: id(3), shop: id(2), home: id(0x20), stamps: 2)),
            mark: mark),
        Sample(
            "PaperStampReversed.v2.elsewhere",
            .paperStampReversed(
                .init(
                    paper: PaperName(print: id(0x30), number: 7), code: id(4), campaign: id(3), shop: id(2), home: id(0x20), stamps: 2,
                    reason: "Refunded"))),
    ]

    private static func shared(_ shops: [ShopID]) -> CampaignTerms<TypedText> {
        CampaignTerms(
            title: "十杯送一", details: "", goal: 10, reward: "any tea", startsAt: time, endsAt: later, options: CampaignOptions(shops: shops))
    }
}
