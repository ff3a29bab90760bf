import CommandService
import EventLog
import Images
import Loyalty
import LoyaltyCodec

/// Decides whether a picture is shown by shops and campaigns (tags in the log) or by people (``AvatarList``). Methods block.
///
/// A shop's picture stays shown, because earlier answers name it, until the owner is erased or it is taken down.
struct PictureUse {
    let service: GreenTea
    /// nil for an owner who was erased.
    private var owners: [ShopID: AccountID?] = [:]

    static let naming: Set<EventType> = [.shopOpened, .shopEdited, .campaignPublished, .campaignEdited]

    init(_ service: GreenTea) { self.service = service }

    mutating func use(of name: ImageName) throws -> ImageUse {
        if try service.isForbidden(name) { return .takenDown }
        let entry = try service.pictures.entries(of: [name.id], in: service.log)[0]
        let last = entry.takenDown > 0 && !isSentAgain(name) ? Position(entry.takenDown) : .start
        if try !people(showing: name.id, since: last).isEmpty { return .used }
        return try forEachOwner(showing: name.id, since: last) { _ in false } ? .unused : .used
    }

    mutating func isOnly(_ account: AccountID, showing image: ImageID) throws -> Bool {
        let last = Position(try service.pictures.entries(of: [image], in: service.log)[0].takenDown)
        let people = try people(showing: image, since: last)
        guard people.allSatisfy({ $0 == account }) else { return false }
        var isShown = !people.isEmpty
        let isAlone = try forEachOwner(showing: image, since: last) { owner in
            isShown = isShown || owner == account
            return owner == account
        }
        return isAlone && isShown
    }

    /// A taken-down picture is shown again once it was sent again.
    ///
    /// The take-down released it, so an unreleased picture was sent since. Times are not compared, because the clock may have been ahead.
    private func isSentAgain(_ name: ImageName) -> Bool { name.hasSender && !service.images.isReleased(name) }

    private func people(showing image: ImageID, since position: Position) throws -> [AccountID] {
        let shown = try service.avatars.accounts(showing: image, in: service.log) { sealed, account in
            try service.open(sealed, as: .avatar, of: account).flatMap { ImageID(text: $0) }
        }
        return shown.filter { $0.value > position.rawValue }.map(\.key)
    }

    /// Newest event first, until `body` answers false.
    ///
    /// - Returns: false if `body` ended the visit.
    private mutating func forEachOwner(showing image: ImageID, since position: Position, _ body: (AccountID) -> Bool) throws -> Bool {
        let query = Query.items([QueryItem(types: Array(Self.naming), tags: [Tag(kind: .image, value: image.value)])])
        for event in try service.log.events(matching: query, after: position, backwards: true) {
            let fact = try LoyaltyCodec.decode(event)
            guard try position == .start || isAnew(fact, image) else { continue }
            guard let shop = fact.event.shop, let owner = try owner(of: shop) else { continue }
            guard body(owner) else { return false }
        }
        return true
    }

    /// Each edit repeats the whole list, so only an event that adds the picture counts.
    private func isAnew(_ fact: Fact, _ image: ImageID) throws -> Bool {
        let (types, tag): ([EventType], Tag)
        switch fact.event {
        case .shopEdited(let event): (types, tag) = ([.shopOpened, .shopEdited], Tag(kind: .shop, value: event.shop.value))
        case .campaignEdited(let event):
            (types, tag) = ([.campaignPublished, .campaignEdited], Tag(kind: .campaign, value: event.campaign.value))
        default: return true
        }
        let query = Query.items([QueryItem(types: types, tags: [tag])])
        let before = try service.log.events(matching: query, through: Position(fact.position - 1), backwards: true, limit: 1)
        return try !before.contains { try LoyaltyCodec.decode($0).event.namedImages.contains(image) }
    }

    private mutating func owner(of shop: ShopID) throws -> AccountID? {
        if let known = owners[shop] { return known }
        let owner = try service.past.shop(shop).flatMap { try service.past.account($0.owner)?.id }
        owners[shop] = owner
        return owner
    }
}

extension GreenTea {
    func isForbidden(_ name: ImageName) throws -> Bool {
        try pictureEntries(of: [name.id, name.content]).contains(where: \.isForAll)
    }

    /// Requests must not block for long. If memory is far behind the log, the entries come from the tag index, and a thread reads the log
    /// meanwhile.
    func pictureEntries(of images: [ImageID]) throws -> [PictureList.Entry] {
        if let entries = try pictures.recentEntries(of: images, in: log) { return entries }
        if pictures.beginCatchingUp() {
            Task.detached { [weak self] in
                _ = try? await self?.readingApart { try $0.pictures.catchUp(with: $0.log) }
                self?.pictures.endCatchingUp()
            }
        }
        return try images.map { try pictures.lookedUp($0, in: log) }
    }
}
