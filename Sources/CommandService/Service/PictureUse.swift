import EventLog
import Images
import Loyalty
import LoyaltyCodec

/// Who shows a picture: shops and their campaigns by the log's tags, people by ``AvatarList``.
///
/// A shop whose owner was erased shows nothing any more, and what was named before a picture was taken down does not count. Else a
/// picture that was ever shown is: answers that were given stay true. Blocks.
struct PictureUse {
    let service: GreenTea
    /// The owners of shops that came up; nil where they were erased.
    private var owners: [ShopID: AccountID?] = [:]

    /// Events that name pictures in their tags.
    static let naming: Set<EventType> = [.shopOpened, .shopEdited, .campaignPublished, .campaignEdited]

    init(_ service: GreenTea) { self.service = service }

    mutating func use(of name: ImageName) throws -> ImageUse {
        if try service.isForbidden(name) { return .takenDown }
        let last = try service.takings(of: name.id).last
        if try !people(showing: name.id, since: last).isEmpty { return .used }
        return try forEachOwner(showing: name.id, since: last) { _ in false } ? .unused : .used
    }

    /// Whether an account shows a picture, in its shop or of itself, and nobody else does: asked of pictures that have no sender.
    mutating func isOnly(_ account: AccountID, showing image: ImageID) throws -> Bool {
        let last = try service.takings(of: image).last
        let people = try people(showing: image, since: last)
        guard people.allSatisfy({ $0 == account }) else { return false }
        var isShown = !people.isEmpty
        let isAlone = try forEachOwner(showing: image, since: last) { owner in
            isShown = isShown || owner == account
            return owner == account
        }
        return isAlone && isShown
    }

    private func people(showing image: ImageID, since position: Position) throws -> [AccountID] {
        let shown = try service.avatars.accounts(showing: image, in: service.log) { sealed, account in
            try service.open(sealed, as: .avatar, of: account).flatMap { ImageID(text: $0) }
        }
        return shown.filter { $0.value > position.rawValue }.map(\.key)
    }

    /// Goes through the owners of shops that name a picture, the newest event first.
    ///
    /// - Returns: false where `body` wanted to hear no more.
    private mutating func forEachOwner(
        showing image: ImageID, since position: Position, _ body: (AccountID) -> Bool
    ) throws -> Bool {
        let query = Query.items([QueryItem(types: Array(Self.naming), tags: [Tag(kind: .image, value: image.value)])])
        for event in try service.log.events(matching: query, after: position, backwards: true) {
            guard let shop = try LoyaltyCodec.decode(event).event.shop, let owner = try owner(of: shop) else { continue }
            guard body(owner) else { return false }
        }
        return true
    }

    private mutating func owner(of shop: ShopID) throws -> AccountID? {
        if let known = owners[shop] { return known }
        let owner = try service.past.shop(shop).flatMap { try service.past.account($0.owner)?.id }
        owners[shop] = owner
        return owner
    }
}

extension GreenTea {
    /// Whether an operator has taken down a picture, or another with the same bytes.
    func isForbidden(_ name: ImageName) throws -> Bool {
        if try takings(of: name.content).isForAll { return true }
        return name.hasSender ? try takings(of: name.id).isForAll : false
    }

    /// Where a picture was last taken down, and whether an operator ever did it.
    func takings(of image: ImageID) throws -> (last: Position, isForAll: Bool) {
        let query = Query.items([QueryItem(types: [.imageTakenDown], tags: [Tag(kind: .image, value: image.value)])])
        let facts = try log.events(matching: query).map { try LoyaltyCodec.decode($0) }
        let isForAll = facts.contains { fact in
            guard case .imageTakenDown(let event) = fact.event else { return false }
            return event.byOperator
        }
        return (facts.last.map { Position($0.position) } ?? .start, isForAll)
    }

    /// Whether a shop or a campaign ever named a picture, so that it is no secret of a person.
    func isNamedByShop(_ image: ImageID) throws -> Bool {
        let query = Query.items([QueryItem(types: Array(PictureUse.naming), tags: [Tag(kind: .image, value: image.value)])])
        return try !log.positions(matching: query, limit: 1).isEmpty
    }
}
