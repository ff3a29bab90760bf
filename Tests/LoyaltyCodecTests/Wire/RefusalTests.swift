import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// Bytes that are not exactly an event of this or an older version of the program are rejected with a named error.
struct RefusalTests {
    private static let stampTags = [
        EventTag(.account, 1), EventTag(.shop, 2), EventTag(.campaign, 3), EventTag(.code, 4), EventTag(.card, 5),
    ]
    private static let marks = [EventTag(.request, 6), EventTag(.digest, 7)]
    private static let codeTags = [EventTag(.shop, 2), EventTag(.campaign, 3), EventTag(.code, 4), EventTag(.codeSecret, 9)]
    private static let reviewTags = [EventTag(.account, 1), EventTag(.shop, 2), EventTag(.review, 7)]
    private static let replyTags = reviewTags + [EventTag(.parent, 7), EventTag(.thread, 7)]
    private static let sessionTags = [EventTag(.account, 1), EventTag(.session, 8)]

    private func refusal(
        _ type: EventType, version: UInt16 = 1, _ tags: [EventTag], _ payload: [UInt8] = []
    ) -> CodecError? {
        let event = NewEvent(type: type, schemaVersion: version, time: Timestamp(microseconds: 0), tags: tags, payload: payload)
        do throws(CodecError) {
            _ = try LoyaltyCodec.decode(SequencedEvent(position: Position(42), event: event))
            return nil
        } catch {
            return error
        }
    }

    @Test("An unknown event type or version is refused with an error that names the type")
    func unknownTypes() throws {
        let type = try #require(refusal(EventType(999), Self.stampTags))
        #expect(type.code == .unknownType)
        #expect(type.position == 42)
        #expect(type.description.contains("event 42") && type.description.contains("999"))
        #expect(type.remedy.contains("newer program"))
        for version: UInt16 in [0, 4, .max] {
            let refused = try #require(refusal(.cardStamped, version: version, Self.stampTags))
            #expect(refused.code == .unknownVersion)
            #expect(refused.detail.contains("CardStamped"))
        }
    }

    @Test("An event with a missing, foreign or repeated tag is refused")
    func exactTags() {
        #expect(refusal(.cardStamped, Self.stampTags) == nil)
        #expect(refusal(.cardStamped, Self.stampTags + Self.marks) == nil)
        for index in Self.stampTags.indices {
            var fewer = Self.stampTags
            fewer.remove(at: index)
            #expect(refusal(.cardStamped, fewer)?.code == .wrongTags)
            #expect(refusal(.cardStamped, fewer + [EventTag(.phone, 1)])?.code == .wrongTags)
            #expect(refusal(.cardStamped, fewer + Self.marks)?.code == .wrongTags)
        }
        #expect(refusal(.cardStamped, Self.stampTags + [EventTag(.phone, 1)])?.code == .wrongTags)
        #expect(refusal(.cardStamped, Self.stampTags + [EventTag(.request, 1)])?.code == .wrongTags)
        #expect(refusal(.cardStamped, Self.stampTags + [EventTag(.card, 6), EventTag(.request, 1)])?.code == .wrongTags)
        #expect(refusal(.cardStamped, Self.stampTags + [EventTag(.card, 6), EventTag(.card, 7)])?.code == .wrongTags)
    }

    @Test("An event of a type without payload is refused if it has one")
    func noPayload() {
        #expect(refusal(.campaignEnded, [EventTag(.shop, 2), EventTag(.campaign, 3)], [8, 1])?.code == .damagedPayload)
    }

    @Test("A payload with an unknown field is refused")
    func unknownFields() {
        let expiry: [UInt8] = [0x19, 1, 0, 0, 0, 0, 0, 0, 0]
        #expect(refusal(.codeIssued, Self.codeTags, [0x10, 1] + expiry) == nil)
        #expect(refusal(.codeIssued, Self.codeTags, [0x10, 1] + expiry + [0x20, 1])?.code == .damagedPayload)
    }

    @Test("A number of stamps that is out of range or not in its one permitted form is refused")
    func oneStampHasOneForm() {
        #expect(refusal(.cardStamped, Self.stampTags, [8, 2]) == nil)
        for stamps: UInt8 in [0, 1, 11, 127] {
            #expect(refusal(.cardStamped, Self.stampTags, [8, stamps])?.code == .fieldOutOfRange)
        }
        #expect(refusal(.cardStamped, Self.stampTags, [8, 3, 0x10, 1])?.code == .damagedPayload, "version 1 had no worth")
        func today(_ payload: [UInt8]) -> CodecError? { refusal(.cardStamped, version: 2, Self.stampTags, payload) }
        for payload: [UInt8] in [[8, 10], [8, 50, 0x10, 10], [8, 1, 0x10, 0], [8, 1, 0x10, 3]] { #expect(today(payload) == nil) }
        for payload: [UInt8] in [[8, 1], [8, 11], [8, 3, 0x10, 3], [8, 51, 0x10, 1], [8, 3, 0x10, 11], [0x10, 1]] {
            #expect(today(payload)?.code == .fieldOutOfRange, "\(payload)")
        }
    }

    @Test("Stamps, attempts, ratings, depths and texts outside of their ranges are refused")
    func outOfRange() {
        #expect(refusal(.codeIssued, Self.codeTags, [0x10, 0])?.code == .fieldOutOfRange)
        #expect(refusal(.codeIssued, Self.codeTags, [0x10, 11])?.code == .fieldOutOfRange)
        #expect(refusal(.codeIssued, Self.codeTags, [0x08, 0x80, 2, 0x10, 1])?.code == .fieldOutOfRange)
        #expect(refusal(.reviewPosted, Self.reviewTags, [8, 0])?.code == .fieldOutOfRange)
        #expect(refusal(.reviewPosted, Self.reviewTags, [8, 6])?.code == .fieldOutOfRange)
        #expect(refusal(.reviewPosted, Self.reviewTags, []) == nil)
        #expect(refusal(.replyPosted, Self.replyTags, [8, 9, 0x12, 1, 1])?.code == .fieldOutOfRange)
        #expect(refusal(.replyPosted, Self.replyTags, [8, 1])?.code == .fieldOutOfRange)
        #expect(refusal(.sessionStarted, Self.sessionTags, [0x0A, 2, 1, 1])?.code == .fieldOutOfRange)
    }

    @Test("A card without a goal is a coupon, which older versions did not know")
    func coupons() {
        let tags = [EventTag(.account, 1), EventTag(.shop, 2), EventTag(.campaign, 3), EventTag(.card, 5)]
        #expect(refusal(.cardOpened, version: 4, tags, [0x12, 1, 65]) == nil)
        #expect(refusal(.cardOpened, version: 4, tags, [8, 51, 0x12, 1, 65])?.code == .fieldOutOfRange)
        for version: UInt16 in 1...3 {
            #expect(refusal(.cardOpened, version: version, tags, [8, 1, 0x12, 1, 65]) == nil)
            #expect(refusal(.cardOpened, version: version, tags, [0x12, 1, 65])?.code == .fieldOutOfRange)
        }
    }

    @Test("An unspecified or unknown enum value is refused")
    func enumValues() {
        #expect(refusal(.sessionEnded, Self.sessionTags, [8, 1]) == nil)
        #expect(refusal(.sessionEnded, Self.sessionTags, [])?.code == .fieldOutOfRange)
        #expect(refusal(.sessionEnded, Self.sessionTags, [8, 3])?.code == .fieldOutOfRange)
        #expect(refusal(.campaignPublished, [EventTag(.shop, 2), EventTag(.campaign, 3)], [])?.code == .fieldOutOfRange)
        #expect(refusal(.campaignPublished, [EventTag(.shop, 2), EventTag(.campaign, 3)], [8, 9])?.code == .fieldOutOfRange)
    }

    /// Version 1 had neither images nor caps.
    @Test("An event with a field that its version did not have is refused")
    func olderFields() {
        let (shopTags, campaignTags) = ([EventTag(.account, 1), EventTag(.shop, 2)], [EventTag(.shop, 2), EventTag(.campaign, 3)])
        let image = [0x32, 16] + [UInt8](repeating: 0, count: 15) + [9]
        let imageTag = [EventTag(.image, 9)]
        #expect(refusal(.shopOpened, shopTags) == nil)
        #expect(refusal(.shopOpened, shopTags + imageTag, image)?.code == .damagedPayload)
        #expect(refusal(.shopOpened, version: 2, shopTags + imageTag, image) == nil)
        #expect(refusal(.campaignPublished, campaignTags, [8, 1]) == nil)
        #expect(refusal(.campaignPublished, campaignTags, [8, 1, 0x40, 3])?.code == .damagedPayload)
        #expect(refusal(.campaignPublished, campaignTags + imageTag, [8, 1])?.code == .wrongTags)
        #expect(refusal(.campaignPublished, version: 2, campaignTags + imageTag, [8, 1, 0x40, 3]) == nil)
        #expect(refusal(.campaignPublished, version: 2, campaignTags, [8, 1, 0x40, 51])?.code == .fieldOutOfRange)
        // The bytes of an option: one card per account.
        let option: [UInt8] = [8, 1, 0x6A, 2, 0x08, 1]
        #expect(refusal(.campaignPublished, version: 3, campaignTags, option)?.code == .damagedPayload)
        #expect(refusal(.campaignPublished, version: 4, campaignTags, option) == nil)
        #expect(refusal(.campaignPublished, version: 4, campaignTags, [8, 1, 0x6A, 2, 0x08, 101])?.code == .fieldOutOfRange)
        #expect(refusal(.campaignPublished, version: 4, campaignTags, [8, 1, 0x6A, 2, 0x08, 0])?.code == .damagedPayload)
        #expect(refusal(.campaignPublished, version: 4, campaignTags, [8, 1, 0x6A, 2, 0x30, 1])?.code == .damagedPayload)
        #expect(refusal(.campaignPublished, version: 7, campaignTags, [8, 1])?.code == .unknownVersion)
    }

    /// Up to version 5 a campaign belonged to one shop, and all its events happened there.
    @Test("An event of an older version that names another shop is refused")
    func olderShops() {
        let campaignTags = [EventTag(.shop, 2), EventTag(.campaign, 3)]
        // The options with one other shop.
        let shared: [UInt8] = [8, 1, 0x6A, 18, 0x3A, 16] + [UInt8](repeating: 7, count: 16)
        for version: UInt16 in [4, 5] {
            #expect(refusal(.campaignPublished, version: version, campaignTags, shared)?.code == .damagedPayload)
        }
        #expect(refusal(.campaignPublished, version: 6, campaignTags, shared) == nil)
        let short: [UInt8] = [8, 1, 0x6A, 3, 0x3A, 1, 7]
        #expect(refusal(.campaignPublished, version: 6, campaignTags, short)?.code == .fieldOutOfRange)
        let elsewhere = Self.stampTags + [EventTag(.home, 9)]
        #expect(refusal(.cardStamped, version: 2, elsewhere)?.code == .wrongTags)
        #expect(refusal(.cardStamped, version: 3, elsewhere) == nil)
        #expect(refusal(.cardStamped, version: 3, Self.stampTags + [EventTag(.home, 2)])?.code == .wrongTags, "home names the event's shop")
        #expect(refusal(.cardStamped, version: 3, elsewhere + [EventTag(.home, 10)])?.code == .wrongTags)
    }

    @Test("The images of a payload are exactly those of the tags, each once, and at most nine")
    func imageTags() {
        let tags = [EventTag(.shop, 2)]
        func image(_ last: UInt8) -> [UInt8] { [0x32, 16] + [UInt8](repeating: 0, count: 15) + [last] }
        #expect(refusal(.shopEdited, tags + [EventTag(.image, 7), EventTag(.image, 9)], image(9) + image(7)) == nil)
        #expect(refusal(.shopEdited, tags + [EventTag(.image, 7)], image(9))?.code == .wrongTags)
        #expect(refusal(.shopEdited, tags + [EventTag(.image, 7), EventTag(.image, 9)], image(9))?.code == .wrongTags)
        #expect(refusal(.shopEdited, tags, image(9))?.code == .wrongTags)
        #expect(refusal(.shopEdited, tags + [EventTag(.image, 9)], image(9) + image(9))?.code == .fieldOutOfRange)
        #expect(refusal(.shopEdited, tags, [0x32, 1, 1])?.code == .fieldOutOfRange)
        let ten = (1...10).map { EventTag(.image, $0) }
        #expect(refusal(.shopEdited, tags + ten, (1...10).flatMap { image($0) })?.code == .fieldOutOfRange)
    }

    @Test("An adjustment by no stamps or by more than fifty is refused")
    func adjustmentRange() {
        let tags = [EventTag(.account, 1), EventTag(.shop, 2), EventTag(.campaign, 3), EventTag(.card, 5)]
        // Integers use zigzag encoding: 1 means -1, 99 means -50, and 101 means -51.
        #expect(refusal(.cardAdjusted, tags, [8, 1]) == nil && refusal(.cardAdjusted, tags, [8, 99]) == nil)
        #expect(refusal(.cardAdjusted, tags, [8, 101])?.code == .fieldOutOfRange)
        #expect(refusal(.cardAdjusted, tags, [])?.code == .fieldOutOfRange)
    }

    @Test("A location that is not a number is refused")
    func notANumber() {
        let nan = [UInt8](repeating: 0xFF, count: 8)
        #expect(refusal(.shopOpened, [EventTag(.account, 1), EventTag(.shop, 2)], [0x21] + nan)?.code == .fieldOutOfRange)
    }

    @Test("An event that could not be decoded again is not encoded")
    func notEncoded() {
        let bad: [LoyaltyEvent] = [
            .cardStamped(.init(card: .init(5), code: .init(4), campaign: .init(3), shop: .init(2), holder: .init(1), stamps: 0)),
            .cardStamped(.init(card: .init(5), code: .init(4), campaign: .init(3), shop: .init(2), holder: .init(1), stamps: 11)),
            .cardStamped(
                .init(card: .init(5), code: .init(4), campaign: .init(3), shop: .init(2), home: .init(2), holder: .init(1), stamps: 1)),
            .cardOpened(.init(card: .init(5), campaign: .init(3), shop: .init(2), holder: .init(1), goal: 51, reward: "")),
            .cardOpened(.init(card: .init(5), campaign: .init(3), shop: .init(2), holder: .init(1), goal: .min, reward: "")),
            .accountRegistered(.init(account: .init(1), phone: Secret(1), sealedPhone: Sealed([]))),
            .reviewPosted(.init(review: .init(1), shop: .init(1), author: .init(1), rating: 6, text: nil)),
            .shopOpened(
                .init(
                    shop: .init(1), owner: .init(1), name: "", phone: "", address: "",
                    location: Coordinate(latitude: 91, longitude: 0))),
        ]
        for event in bad {
            #expect(throws: CodecError.self) { try LoyaltyCodec.encode(event, by: .init(1), at: Sample.time, mark: nil) }
        }
    }
}
