internal import EventLog
internal import Loyalty

/// The reader of one retired version of one event type, listed in ``Upcasters/all``. It is never removed, because logs may contain the
/// version for ever.
///
/// A stored event never changes its meaning: a version becomes today's event, and one that has what came later is refused. No code above
/// the codec depends on versions. `CHANGING.md` describes how to change an event.
struct Upcaster: Sendable {
    typealias Reader = @Sendable (NewEvent) throws(CodecError) -> LoyaltyEvent

    let type: WireType
    /// Lower than ``WireType/currentVersion``, unless the type is retired.
    let version: UInt16
    /// One sentence: the fields that the version did not have, and their substitutes.
    let about: String
    /// The additions of the next version. No earlier version can have it either.
    let additions: [Addition]
    private let reader: Reader?

    /// - Parameter reader: nil if today's decoder reads the version, and fills in what it lacks.
    init(_ type: WireType, _ version: UInt16, _ about: String, without additions: [Addition] = [], reader: Reader? = nil) {
        (self.type, self.version, self.about, self.additions, self.reader) = (type, version, about, additions, reader)
    }

    var name: String { "\(type.name)V\(version)" }

    fileprivate func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        if let reader { try reader(event.event) } else { try LoyaltyEvent(current: event, type) }
    }
}

extension WireType {
    /// Types that ``LoyaltyEvent`` no longer has. Their numbers and names are never used again.
    static let retired: Set<WireType> = []
}

extension LoyaltyEvent {
    /// - Parameter upcasters: only tests replace the default.
    init(stored event: some StoredEvent & ~Escapable, upcasters: [Upcaster] = Upcasters.all) throws(CodecError) {
        guard let type = WireType(rawValue: event.type.rawValue) else {
            throw CodecError(.unknownType, "event type \(event.type.rawValue) is unknown")
        }
        if event.schemaVersion == type.currentVersion, !WireType.retired.contains(type) {
            try self.init(current: event, type)
        } else if let upcaster = upcasters.first(where: { $0.type == type && $0.version == event.schemaVersion }) {
            self = try upcaster.upcast(event)
            for later in upcasters where later.type == type && later.version >= upcaster.version {
                guard let surplus = later.additions.first(where: { $0.isIn(self) }) else { continue }
                throw CodecError(surplus.code, "\(type.name) of version \(event.schemaVersion) has \(surplus.name)")
            }
        } else {
            throw CodecError(.unknownVersion, "\(type.name) of schema version \(event.schemaVersion) is unknown")
        }
    }
}

/// Never remove an entry. Few events are old, so a linear search is fast enough.
enum Upcasters {
    static let all = Array([shops, staff, notices, campaigns, cards, searches, reasons, elsewhere].joined())

    private static let clearContact = "Contact data stood in the clear; it still does."
    private static let noSchedule = "Shops had neither a time zone nor opening hours; they live in Asia/Shanghai and say none."
    private static let clearTexts = "Its texts stood in the clear; they still do."
    private static let noOptions = "Campaigns had no options; there are none."
    private static let noMilestones = "Campaigns had no milestones; there are none."
    private static let oneShop = "A campaign was of one shop; it names no others."
    private static let atHome = "Everything of a campaign happened at its own shop."

    private static let shops = [
        Upcaster(.shopOpened, 1, "Shops had no images; there are none.", without: [.images], reader: openedWithoutSchedule),
        Upcaster(.shopOpened, 2, clearContact, without: [.sealedContact], reader: openedWithoutSchedule),
        Upcaster(.shopOpened, 3, noSchedule, reader: openedWithoutSchedule),
        Upcaster(.shopEdited, 1, clearContact, without: [.sealedContact], reader: editedWithoutSchedule),
        Upcaster(.shopEdited, 2, noSchedule, reader: editedWithoutSchedule),
        Upcaster(.shopEdited, 3, "Shops had neither a color nor a logo; there are none.", without: [.look]),
    ]

    private static let openedWithoutSchedule: Upcaster.Reader = { event throws(CodecError) in
        let message = try event.message(WireShopOpened.self)
        return .shopOpened(try ShopOpened(message, event, try message.noSchedule()))
    }

    private static let editedWithoutSchedule: Upcaster.Reader = { event throws(CodecError) in
        let message = try event.message(WireShopEdited.self)
        return .shopEdited(try ShopEdited(message, event, try message.noSchedule()))
    }

    private static let staff = [
        Upcaster(.staffInvited, 1, "All staff had the rights of counter staff; they are offered these.") { event throws(CodecError) in
            var message = try event.message(WireStaffInvited.self)
            guard message.role == 0 else { throw CodecError(.damagedPayload, "StaffInvited of version 1 has a role") }
            message.role = try Role.counter.wireField()
            return .staffInvited(try StaffInvited(message, event))
        },
        Upcaster(.staffJoined, 1, "All staff had the rights of counter staff; they have these.") { event throws(CodecError) in
            try event.expectNoPayload()
            var message = WireStaffJoined()
            message.role = try Role.counter.wireField()
            return .staffJoined(try StaffJoined(message, event))
        },
    ]

    private static let notices = [
        Upcaster(
            .noticePosted, 1, "Every notice was posted at once, to everybody or to a shop's customers.", without: [.dueTime, .cardHolders])
    ]

    private static let campaigns = [
        Upcaster(.campaignPublished, 1, "Campaigns had neither an image nor caps; there are none.", without: [.image, .caps]),
        Upcaster(.campaignPublished, 2, clearTexts, without: [.sealedTexts]),
        Upcaster(.campaignPublished, 3, noOptions, without: [.options]),
        Upcaster(.campaignPublished, 4, noMilestones, without: [.milestones]),
        Upcaster(.campaignPublished, 5, oneShop, without: [.shops]),
        Upcaster(.campaignEdited, 1, clearTexts, without: [.sealedTexts]),
        Upcaster(.campaignEdited, 2, noOptions, without: [.options]),
        Upcaster(.campaignEdited, 3, noMilestones, without: [.milestones]),
        Upcaster(.campaignEdited, 4, oneShop, without: [.shops]),
    ]

    private static let cards = [
        Upcaster(.cardOpened, 1, "The reward stood in the clear; it still does.", without: [.sealedTexts]),
        Upcaster(.cardOpened, 2, "Cards had no terms beyond goal and reward; there are none.", without: [.cardTerms]),
        Upcaster(.cardOpened, 3, "Every card had a goal of 1 to 50.", without: [.couponGoal]),
        Upcaster(.cardOpened, 4, "Cards had no milestones; there are none.", without: [.milestones]),
        Upcaster(.cardStamped, 1, "Every stamp was one of the code's own.", without: [.worth]),
        Upcaster(.stampReversed, 1, "A card lost at most ten stamps at once.", without: [.manyStamps]),
        Upcaster(.stampReversed, 3, "A reversal took back all stamps of its code; none are left.", without: [.left]),
    ]

    private static let searches = [Upcaster(.accountSearched, 1, "Operators alone searched; it names no shop.", without: [.searchedShop])]

    private static let reasons = [WireType.cardAdjusted, .redemptionReversed, .shopReinstated, .shopSuspended].map {
        Upcaster($0, 1, "The reason stood in the clear; it still does.", without: [.sealedTexts])
    }

    /// The last versions of events that had to happen at the campaign's own shop.
    private static let elsewhere = [
        (WireType.cardOpened, 5), (.codeIssued, 1), (.cardStamped, 2), (.stampReversed, 2), (.cardRedeemed, 1), (.redemptionReversed, 2),
        (.milestoneRedeemed, 1), (.milestoneReversed, 1), (.paperStamped, 1), (.paperStampReversed, 1),
    ].map { Upcaster($0, $1, atHome, without: [.home]) }
}

/// Something that versions of an event type can have from one version on.
struct Addition: Sendable {
    let code: CodecError.Code
    let name: String
    let isIn: @Sendable (LoyaltyEvent) -> Bool

    private init(_ name: String, code: CodecError.Code = .damagedPayload, isIn: @escaping @Sendable (LoyaltyEvent) -> Bool) {
        (self.code, self.name, self.isIn) = (code, name, isIn)
    }

    static let sealedTexts = Addition("sealed texts") { $0.typedTexts.contains { $0.open == nil } }
    static let image = Addition("an image", code: .wrongTags) { $0.campaignTerms?.image != nil }
    static let caps = Addition("caps") { $0.campaignTerms.map { $0.caps != .none } ?? false }
    static let options = Addition("options") { $0.campaignTerms.map { $0.options != .none } ?? false }
    static let shops = Addition("other shops") { $0.campaignTerms?.options.shops.isEmpty == false }
    static let milestones = Addition("milestones") {
        ($0.campaignTerms?.options.milestones ?? $0.opened?.terms.milestones)?.isEmpty == false
    }
    static let cardTerms = Addition("terms") { $0.opened.map { $0.terms != .none } ?? false }
    /// Only coupons have a goal of 0.
    static let couponGoal = Addition("a goal of 0", code: .fieldOutOfRange) { $0.opened?.goal == 0 }
    static let home = Addition("another shop", code: .wrongTags) { $0.home != nil }
    static let worth = Addition("a worth") {
        if case .cardStamped(let event) = $0 { event.worth != event.stamps } else { false }
    }
    static let manyStamps = Addition("more than ten stamps", code: .fieldOutOfRange) {
        if case .stampReversed(let event) = $0 { !WireRange.stamps.contains(event.stamps) } else { false }
    }
    static let left = Addition("stamps left") {
        if case .stampReversed(let event) = $0 { event.left > 0 } else { false }
    }
    static let searchedShop = Addition("a shop", code: .wrongTags) {
        if case .accountSearched(let event) = $0 { event.shop != nil } else { false }
    }
    static let images = Addition("images") {
        if case .shopOpened(let event) = $0 { !event.images.isEmpty } else { false }
    }
    static let sealedContact = Addition("sealed contact data") { event in
        switch event {
        case .shopOpened(let event): event.contact.open == nil
        case .shopEdited(let event): event.contact.open == nil
        default: false
        }
    }
    static let look = Addition("a color or a logo") {
        if case .shopEdited(let event) = $0 { event.look != .plain } else { false }
    }
    static let dueTime = Addition("a due time") {
        if case .noticePosted(let event) = $0 { event.dueAt != nil } else { false }
    }
    static let cardHolders = Addition("a campaign's card holders", code: .wrongTags) {
        if case .noticePosted(let event) = $0 { event.audience.campaign != nil } else { false }
    }
}

extension LoyaltyEvent {
    fileprivate var campaignTerms: CampaignTerms<TypedText>? {
        switch self {
        case .campaignPublished(let event): event.terms
        case .campaignEdited(let event): event.terms
        default: nil
        }
    }

    fileprivate var opened: CardOpened? { if case .cardOpened(let event) = self { event } else { nil } }

    /// The texts that versions without ``Addition/sealedTexts`` held in the clear.
    fileprivate var typedTexts: [TypedText] {
        switch self {
        case .cardOpened(let event): [event.reward]
        case .cardAdjusted(let event): [event.reason]
        case .redemptionReversed(let event): [event.reason]
        case .shopReinstated(let event): [event.reason]
        case .shopSuspended(let event): [event.reason]
        default: campaignTerms.map { [$0.title, $0.details, $0.reward] } ?? []
        }
    }
}
