import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// `GET /me/changes`, which keeps a client's copies of an account's things up to date. The changes continue the snapshot at
/// `GreenTea-Position` without gap or repetition, each thing in its state at the page's end.
struct ChangeRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/v1/me/changes", changes)] }

    private func changes(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let after = try request.positionAfter()
        try await resources.awaitPosition(of: request, by: bearer.account, in: Notices.name)
        let found = try resources.service.changes(of: bearer.account, after: after)
        var cards = try resources.service.reading(through: found.position) { PageOfCards($0) }
        let now = resources.now
        let items = try found.items.map { item -> JSONFields in
            let value = try value(of: item, bearer, through: found.position, at: now, &cards)
            return [
                "kind": item.thing.kind, "id": item.thing.id, "position": item.position, "value": IfPresent(value),
                "removed": IfPresent(value == nil ? true : nil),
            ]
        }
        let answer: JSONFields = ["items": items, "position": found.position, "more": found.hasMore]
        // Capped at the log's end: the client may require the header's position in its next request, which would wait in vain for a
        // position that does not exist.
        return Response.ok(answer).showing(min(found.position, resources.service.log.head)).unstored()
    }

    /// A changed thing in its state at a position; nil if it no longer existed.
    ///
    /// - Parameters:
    ///   - now: decides what has lapsed or expired; one moment for a page.
    ///   - cards: the cards at that position.
    private func value(
        of item: OwnChanges.Item, _ bearer: SignedInAs, through position: Position, at now: Instant,
        _ cards: inout PageOfCards<EventLog>
    ) throws -> JSONWriter? {
        let service = resources.service
        switch item.thing {
        case .account: return .written(try resources.accountAnswer(bearer.account, through: position, at: now))
        case .card(let id):
            guard let card = try cards.card(id), card.status != .discarded else { return nil }
            return try resources.listed([card], through: position, at: now).first.map { .written($0) }
        case .redemption(let id):
            let found = try service.reading(through: position) { try $0.redemption(id) }
            guard let redemption = found, let card = try cards.card(redemption.card) else { return nil }
            return .written(try resources.redemptionAnswer(redemption, of: card, at: now))
        case .notice(let id): return try notice(id, bearer.account, through: position).map { .written($0) }
        case .favorite(let campaign):
            let favorite = Favorite(account: bearer.account, campaign: campaign)
            guard try service.reading(through: position, { try $0.has(favorite) }) else { return nil }
            return .written(["campaign": campaign] as JSONFields)
        case .session(let id):
            guard let session = try service.reading(through: position, { try $0.session(id) }), session.isAlive(at: now) else { return nil }
            return .written(resources.fields(of: session, for: bearer))
        case .invitation(let id): return try invitation(id, through: position, at: now).map { .written($0) }
        case .employment(let id): return try workplace(id, of: bearer.account, through: position).map { .written($0) }
        case .mute(let shop):
            let mute = Mute(account: bearer.account, shop: shop)
            return try service.reading(through: position) { try $0.has(mute) } ? .written(["shop": shop] as JSONFields) : nil
        case .search(let id):
            guard let search = try service.reading(through: position, { try $0.search(id) }), !search.isRemoved,
                let terms = try service.terms(of: search)
            else { return nil }
            return .written(search.fields(terms))
        }
    }

    private func notice(_ id: NoticeID, _ account: AccountID, through position: Position) throws -> NoticeAnswer? {
        let (posted, isRead) = try resources.service.reading(through: position) { past in
            (try past.postedNotice(id), try past.hasRead(id, by: account))
        }
        return try posted.map { try resources.noticeAnswer($0, isRead: isRead, through: position) }
    }

    private func invitation(_ id: InvitationID, through position: Position, at now: Instant) throws -> JSONFields? {
        let found = try resources.service.reading(through: position) { past -> (Invitation, Shop)? in
            guard let invitation = try past.invitation(id), let shop = try past.shop(invitation.shop) else { return nil }
            return (invitation, shop)
        }
        guard let (invitation, shop) = found, invitation.status(at: now, of: shop) == .open else { return nil }
        return invitation.fields(at: try resources.service.opened(shop))
    }

    private func workplace(_ id: ShopID, of account: AccountID, through position: Position) throws -> JSONFields? {
        let found = try resources.service.reading(through: position) { try $0.shop(id) }
        guard let shop = found, let role = shop.role(of: account) else { return nil }
        return try resources.workplace(shop, of: account, as: role, through: position)
    }
}

extension OwnChanges.Thing {
    fileprivate var kind: String {
        switch self {
        case .account: "account"
        case .card: "card"
        case .redemption: "redemption"
        case .notice: "notice"
        case .favorite: "favorite"
        case .session: "session"
        case .invitation: "invitation"
        case .employment: "employment"
        case .mute: "mute"
        case .search: "search"
        }
    }

    /// For a favourite, the campaign's id; for an employment or a mute, the shop's. Nil for the account itself.
    fileprivate var id: String? {
        switch self {
        case .account: nil
        case .card(let id): id.text
        case .redemption(let id): id.text
        case .notice(let id): id.text
        case .favorite(let id): id.text
        case .session(let id): id.text
        case .invitation(let id): id.text
        case .employment(let id): id.text
        case .mute(let id): id.text
        case .search(let id): id.text
        }
    }
}
