import Loyalty
import LoyaltyCodec

extension Sample {
    private static let mark = RequestMark(request: secret(0x12).value, digest: secret(0x13).value)
    private static let later = Instant(microseconds: time.microseconds + 300_000_000)
    private static let sealed = Sealed([1] + (0..<40).map { UInt8($0) &* 7 })

    /// Samples of every event type, in every variant of its bytes. A new sample is appended at the end; an existing one never changes.
    static let all: [Sample] = people + collecting + office + talk + keeping + accounts + papers + branches + searches

    private static let people: [Sample] = [
        Sample("AccountRegistered.v1", .accountRegistered(.init(account: id(1), phone: secret(11), sealedPhone: sealed))),
        Sample(
            "SessionStarted.v1", .sessionStarted(.init(session: id(8), account: id(1), token: secret(80), expiresAt: later))),
        Sample(
            "SessionRefreshed.v1", .sessionRefreshed(.init(session: id(8), account: id(1), token: secret(81), expiresAt: later))),
        Sample("SessionEnded.v1.signedOut", .sessionEnded(.init(session: id(8), account: id(1), ending: .signedOut))),
        Sample("SessionEnded.v1.tokenReused", .sessionEnded(.init(session: id(8), account: id(1), ending: .tokenReused))),
        Sample(
            "ShopOpened.v4",
            .shopOpened(
                .init(
                    shop: id(2), owner: id(1), name: "茶颜 Green Tea", phone: "+8602088886666", address: "广州市天河路 1 号",
                    location: Coordinate(latitude: 23.1322, longitude: 113.3269))), mark: mark),
        Sample(
            "ReviewPosted.v1",
            .reviewPosted(.init(review: id(7), shop: id(2), author: id(1), rating: 5, text: sealed)), mark: mark),
        Sample("ReviewPosted.v1.ratingOnly", .reviewPosted(.init(review: id(7), shop: id(2), author: id(1), rating: 1, text: nil))),
        Sample("ReviewPosted.v1.textOnly", .reviewPosted(.init(review: id(7), shop: id(2), author: id(1), rating: nil, text: sealed))),
        Sample(
            "ReplyPosted.v1",
            .replyPosted(.init(reply: id(9), parent: id(14), thread: id(15), shop: id(2), author: id(1), depth: 2, text: sealed)),
            mark: mark),
    ]

    private static let collecting: [Sample] = [
        Sample(
            "CampaignPublished.v6",
            .campaignPublished(
                .init(
                    campaign: id(3), shop: id(2), kind: .stampCard,
                    terms: CampaignTerms(
                        title: "十杯送一", details: "Ten cups, the eleventh is free.", goal: 10, reward: "any tea", startsAt: time,
                        endsAt: later))), mark: mark),
        Sample(
            "CampaignPublished.v6.promotion",
            .campaignPublished(
                .init(
                    campaign: id(3), shop: id(2), kind: .promotion,
                    terms: CampaignTerms(
                        title: "新品", details: "", goal: 0, reward: "", startsAt: time, endsAt: later)))),
        Sample(
            "CampaignPublished.v6.sealed",
            .campaignPublished(
                .init(
                    campaign: id(3), shop: id(2), kind: .stampCard,
                    terms: CampaignTerms(
                        title: .sealed(sealed), details: .sealed(sealed), goal: 10, reward: .sealed(sealed), startsAt: time, endsAt: later))
            )),
        Sample("CampaignEnded.v1", .campaignEnded(.init(campaign: id(3), shop: id(2))), mark: mark),
        Sample(
            "CodeIssued.v2",
            .codeIssued(
                .init(code: id(4), campaign: id(3), shop: id(2), secret: secret(9), attempt: 1, stamps: 2, expiresAt: later)),
            mark: mark),
        Sample("CodeDestroyed.v1", .codeDestroyed(.init(code: id(4), campaign: id(3), shop: id(2))), mark: mark),
        Sample(
            "CardOpened.v6",
            .cardOpened(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), goal: 10, reward: "any tea")), mark: mark),
        Sample(
            "CardOpened.v6.sealed",
            .cardOpened(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1), goal: 10, reward: .sealed(sealed)))),
        Sample(
            "CardStamped.v3",
            .cardStamped(.init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 1)), mark: mark),
        Sample(
            "CardStamped.v3.three",
            .cardStamped(.init(card: id(5), code: id(4), campaign: id(3), shop: id(2), holder: id(1), stamps: 3))),
        Sample("CardDiscarded.v1", .cardDiscarded(.init(card: id(5), campaign: id(3), shop: id(2), holder: id(1))), mark: mark),
        Sample(
            "RedemptionRequested.v1",
            .redemptionRequested(
                .init(
                    redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), secret: secret(10), attempt: 0,
                    expiresAt: later)), mark: mark),
        Sample(
            "RedemptionRequested.v1.secondTry",
            .redemptionRequested(
                .init(
                    redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1), secret: secret(10), attempt: 1,
                    expiresAt: later)), mark: mark),
        Sample(
            "CardRedeemed.v2",
            .cardRedeemed(.init(redemption: id(6), card: id(5), campaign: id(3), shop: id(2), holder: id(1))), mark: mark),
    ]

    private static let talk: [Sample] = [
        Sample(
            "ReviewRemoved.v1",
            .reviewRemoved(.init(review: id(7), thread: id(15), shop: id(2), author: id(1), byOperator: false)), mark: mark),
        Sample(
            "ReviewRemoved.v1.byOperator",
            .reviewRemoved(.init(review: id(7), thread: id(7), shop: id(2), author: id(1), byOperator: true))),
        Sample(
            "NoticePosted.v2",
            .noticePosted(.init(notice: id(17), audience: .shop(id(2)), author: id(1), title: sealed, text: sealed)), mark: mark),
        Sample(
            "NoticePosted.v2.all",
            .noticePosted(.init(notice: id(17), audience: .all, author: id(1), title: sealed, text: sealed, dueAt: later))),
        Sample(
            "NoticePosted.v2.holders",
            .noticePosted(
                .init(
                    notice: id(17), audience: .holders(id(3), of: id(2)), author: id(1), title: sealed, text: sealed, dueAt: later)),
            mark: mark),
        Sample(
            "NoticeScheduled.v1",
            .noticeScheduled(
                .init(notice: id(17), audience: .shop(id(2)), author: id(1), title: sealed, text: sealed, publishAt: later)),
            mark: mark),
        Sample(
            "NoticeScheduled.v1.holders",
            .noticeScheduled(
                .init(
                    notice: id(17), audience: .holders(id(3), of: id(2)), author: id(1), title: sealed, text: sealed,
                    publishAt: later))),
        Sample("NoticeWithdrawn.v1", .noticeWithdrawn(.init(notice: id(17), author: id(1))), mark: mark),
        Sample("NoticeLapsed.v1", .noticeLapsed(.init(notice: id(17), author: id(1), dueAt: later))),
        Sample("NoticeRead.v1", .noticeRead(.init(notice: id(17), account: id(1))), mark: mark),
        Sample("FeedbackGiven.v1", .feedbackGiven(.init(author: id(1), text: sealed)), mark: mark),
        Sample("ImageTakenDown.v1", .imageTakenDown(.init(image: id(20), byOperator: false)), mark: mark),
        Sample("ImageTakenDown.v1.byOperator", .imageTakenDown(.init(image: id(20), byOperator: true))),
    ]

    private static let paper = PaperName(print: id(23), number: 499)

    private static let papers: [Sample] = [
        Sample(
            "PaperCardsPrinted.v1",
            .paperCardsPrinted(.init(print: id(23), campaign: id(3), shop: id(2), secret: secret(25), attempt: 1, count: 500)), mark: mark),
        Sample(
            "PaperStamped.v2", .paperStamped(.init(paper: paper, code: id(4), campaign: id(3), shop: id(2), stamps: 2)), mark: mark),
        Sample(
            "PaperCardTaken.v1", .paperCardTaken(.init(paper: paper, campaign: id(3), shop: id(2), holder: id(1), stamps: 7)), mark: mark),
        Sample(
            "PaperCardTaken.v1.blank",
            .paperCardTaken(
                .init(paper: PaperName(print: id(23), number: 0), campaign: id(3), shop: id(2), holder: id(1), stamps: 0))),
        Sample(
            "PaperStampReversed.v2",
            .paperStampReversed(.init(paper: paper, code: id(4), campaign: id(3), shop: id(2), stamps: 2, reason: "点错了"))),
        Sample(
            "PaperStampReversed.v2.sealed",
            .paperStampReversed(
                .init(paper: paper, code: id(4), campaign: id(3), shop: id(2), stamps: 2, reason: .sealed(sealed))), mark: mark),
    ]

    private static let keeping: [Sample] = [
        Sample("FavoriteAdded.v1", .favoriteAdded(.init(account: id(1), campaign: id(3))), mark: mark),
        Sample("FavoriteRemoved.v1", .favoriteRemoved(.init(account: id(1), campaign: id(3)))),
    ]

    private static let accounts: [Sample] = [
        Sample(
            "ProfileEdited.v1",
            .profileEdited(
                .init(
                    account: id(1),
                    change: ProfileChange(
                        nickname: .set(sealed), avatar: .set(sealed), gender: .set(sealed), birthday: .set(sealed), city: .set(sealed)))),
            mark: mark),
        Sample(
            "ProfileEdited.v1.cleared",
            .profileEdited(.init(account: id(1), change: ProfileChange(avatar: .cleared, city: .set(sealed))))),
        Sample("PasswordSet.v1", .passwordSet(.init(account: id(1), sealedHash: sealed)), mark: mark),
        Sample("PasswordRemoved.v1", .passwordRemoved(.init(account: id(1)))),
        Sample("AccountErased.v1", .accountErased(.init(account: id(1)))),
        Sample("PhoneChanged.v1", .phoneChanged(.init(account: id(1), sealedPhone: sealed)), mark: mark),
        Sample(
            "PhoneChangeRequested.v1",
            .phoneChangeRequested(.init(account: id(1), sealedPhone: sealed, reason: .sealed(sealed), holdsAt: later)), mark: mark),
        Sample(
            "PhoneChangeRequested.v1.clear",
            .phoneChangeRequested(.init(account: id(1), sealedPhone: sealed, reason: "手机遗失", holdsAt: later))),
        Sample("PhoneChangeEnded.v1", .phoneChangeEnded(.init(account: id(1))), mark: mark),
        Sample("AccountSuspended.v1", .accountSuspended(.init(account: id(1), reason: .sealed(sealed))), mark: mark),
        Sample("AccountSuspended.v1.clear", .accountSuspended(.init(account: id(1), reason: "倒卖集点码"))),
        Sample("AccountReinstated.v1", .accountReinstated(.init(account: id(1), reason: .sealed(sealed))), mark: mark),
        Sample("AccountReinstated.v1.clear", .accountReinstated(.init(account: id(1), reason: "查无实据"))),
        Sample("AccountReinstated.v1.noReason", .accountReinstated(.init(account: id(1), reason: ""))),
        Sample("AccountSearched.v2", .accountSearched(.init(account: id(1)))),
        Sample("AccountSearched.v2.shop", .accountSearched(.init(account: id(1), shop: id(2)))),
        Sample("AccountSearched.v2.nobody", .accountSearched(.init(shop: id(2)))),
    ]
}
