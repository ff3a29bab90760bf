import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// The routes of notices by the operator or shops, and of reminders about cards.
struct NoticeRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/notices", post), .get("/v1/notices/scheduled", scheduled),
            resources.act(.delete, "/v1/notices/{id}") { .withdrawNotice(WithdrawNotice(notice: try $0.id())) },
            .get("/v1/me/notices", notices), .put("/v1/me/notices/{id}/read", read),
        ]
    }

    private func post(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let body = try await request.json(NoticeRequest.init)
        let audience = try earlierAudience(body, of: write.caller("POST /v1/notices")) ?? self.audience(body, of: write.account)
        try Limits.noticeTitle.check(body.title.asName, "title")
        try Limits.noticeText.check(body.text, "text")
        var canonical = CanonicalRequest("POST /v1/notices", body.title, body.text)
        canonical.add(audience.tagValue)
        if let campaign = audience.campaign { canonical.add(campaign.value) }
        if let publishAt = body.publishAt { canonical.add(UInt64(bitPattern: publishAt.microseconds)) }
        let caller = write.caller(canonical)
        // A notice may reach every account.
        let acceptance = try await resources.counted(.notices, by: caller) {
            try await resources.service.postNotice(title: body.title, text: body.text, to: audience, publishAt: body.publishAt, by: caller)
        }
        return try posted(acceptance)
    }

    private func scheduled(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try resources.page(PageRequest(request), of: "scheduled notices of " + bearer.account.text)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Deadlines.name)
        let found = try resources.service.models.deadlines.scheduledNotices(of: bearer.account, before: page.position, limit: page.limit)
        let items = try found.notices.compactMap { id in
            try resources.service.reading { try $0.notice(id) }.flatMap { try resources.scheduledAnswer($0) }
        }
        return .ok(page.answer(items, next: found.next))
    }

    private func notices(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try resources.page(PageRequest(request), of: "notices of " + bearer.account.text)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Notices.name)
        let reached = resources.service.models.position(of: Notices.name)
        let found = try resources.service.models.notices.notices(of: bearer.account, before: page.position, limit: page.limit)
        let items = try found.notices.map { try resources.noticeAnswer($0.notice, isRead: $0.isRead) }
        return Response.ok(page.answer(items, next: found.next).fields + ["unread": found.unread]).showing(max(reached, found.position))
    }

    private func read(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Notice.self)
        guard try await isReceived(id, by: write.account) else { throw Problem(.notFound) }
        return .done(
            try await resources.service.submit(.readNotice(ReadNotice(notice: id)), by: write.caller("PUT /v1/me/notices/read", id)))
    }

    /// Only the read model knows the receivers. It catches up first if it lacks the notice, because a stream may announce one earlier.
    private func isReceived(_ id: NoticeID, by account: AccountID) async throws -> Bool {
        if try resources.service.models.notices.isReceived(id, by: account) { return true }
        try await resources.awaitHead(in: Notices.name)
        return try resources.service.models.notices.isReceived(id, by: account)
    }

    /// The audience of the notice that the same idempotency key posted; nil if there is none, or the request names another audience. It
    /// must not be chosen again, because the sender's shops may have changed. The texts are compared later, by hash.
    ///
    /// - Parameter sender: its content is not considered.
    private func earlierAudience(_ body: NoticeRequest, of sender: Caller) throws -> NoticeAudience? {
        guard let mark = sender.mark, let earlier = try resources.service.reading({ try $0.facts(ofRequest: mark.request) })
        else { return nil }
        let audience: NoticeAudience
        switch earlier.facts.first?.event {
        case .noticePosted(let event): audience = event.audience
        case .noticeScheduled(let event): audience = event.audience
        default: return nil
        }
        let isSame =
            switch audience {
            case .all: body.audience == "all"
            case .shop(let shop): body.audience == "shop" && (body.shop == nil || body.shop == shop.text)
            case .holders(let campaign, _): body.audience == "holders" && body.campaign == campaign.text
            }
        return isSame ? audience : nil
    }

    /// Operators address everybody; owners and managers a shop's customers, or the holders of a campaign's cards.
    private func audience(_ body: NoticeRequest, of account: AccountID) throws -> NoticeAudience {
        switch body.audience {
        case "all":
            guard try resources.isOperator(account) else { throw Problem(.forbidden) }
            return .all
        case "shop":
            return .shop(try shop(named: body.shop, of: account))
        case "holders":
            guard let text = body.campaign else { throw Problem.invalid("campaign", .required) }
            guard let id = CampaignID(text: text), let campaign = try resources.service.reading({ try $0.campaign(id) }) else {
                throw Problem(.notFound)
            }
            // The role first, because only the shop's people may learn which shops the campaign names.
            try resources.existing { try $0.shop(campaign.shop) }.require(.manager, of: account)
            try requireHeld(campaign, at: body.shop)
            return .holders(id, of: campaign.shop)
        default:
            throw Problem.invalid("audience", .oneOf(["all", "shop", "holders"]))
        }
    }

    /// Refuses a shop at which the campaign is not held. Any other may be named, because all holders get the notice.
    private func requireHeld(_ campaign: Campaign, at name: String?) throws(Problem) {
        guard let name else { return }
        guard let shop = ShopID(text: name), shop == campaign.shop || campaign.options.shops.contains(shop) else {
            throw .invalid("shop", .rule(.otherCampaignShop))
        }
    }

    /// The named shop. Otherwise the only open one that the account manages, or a closed one if all are closed; refused if several are
    /// open.
    private func shop(named name: String?, of account: AccountID) throws -> ShopID {
        if let name {
            guard let shop = ShopID(text: name) else { throw Problem(.notFound) }
            return shop
        }
        let (owned, employers) = try resources.service.reading { (try $0.shops(ownedBy: account), try $0.employers(of: account)) }
        let shops = owned + employers.filter { $0.role(of: account) == .manager }
        let open = shops.filter { $0.closing == nil }
        guard open.count <= 1 else { throw Problem.invalid("shop", .required) }
        guard let only = open.first ?? shops.first else { throw Problem(employers.isEmpty ? .forbidden : .roleRequired) }
        return only.id
    }

    private func posted(_ acceptance: Acceptance) throws -> Response {
        switch acceptance.facts.last?.event {
        case .noticePosted(let event):
            let notice = PostedNotice(event, of: acceptance.facts[acceptance.facts.count - 1])
            return .written(.created, for: acceptance, try resources.noticeAnswer(notice, through: acceptance.position))
        case .noticeScheduled:
            guard let notice = Notice.fold(acceptance.facts),
                let answer = try resources.scheduledAnswer(notice, through: acceptance.position)
            else { break }
            return .written(.created, for: acceptance, answer)
        default: break
        }
        throw Resources.missingFact(acceptance)
    }
}

extension Resources {
    /// - Parameter position: as of which the shop's name is shown.
    func noticeAnswer(_ notice: PostedNotice, isRead: Bool? = nil, through position: Position? = nil) throws -> NoticeAnswer {
        let known = try notice.audience.shop.flatMap { id in try service.reading(through: position) { try $0.shop(id) } }
        let shop = try known.map { try service.opened($0) }
        return NoticeAnswer(
            id: notice.id, title: try words(notice.title, as: .noticeTitle, of: notice),
            text: try words(notice.text, as: .noticeText, of: notice), audience: notice.audience, shopName: shop?.name,
            postedAt: notice.at, isRead: isRead, reminder: notice.reminder, alert: notice.alert)
    }

    /// Nil if the author was erased, and for reminders, which clients put in their own words.
    private func words(_ sealed: Sealed, as field: SealedField, of notice: PostedNotice) throws -> String? {
        notice.isWordless ? nil : try text(sealed, as: field, of: notice.author)
    }

    /// Nil for a notice that is not scheduled.
    ///
    /// - Parameter position: as of which the shop's name is shown.
    func scheduledAnswer(_ notice: Notice, through position: Position? = nil) throws -> NoticeAnswer? {
        guard notice.status == .scheduled, let draft = notice.draft else { return nil }
        let known = try notice.audience.shop.flatMap { id in try service.reading(through: position) { try $0.shop(id) } }
        let shop = try known.map { try service.opened($0) }
        return NoticeAnswer(
            id: notice.id, title: try text(draft.title, as: .noticeTitle, of: notice.author),
            text: try text(draft.text, as: .noticeText, of: notice.author), audience: notice.audience, shopName: shop?.name,
            postedAt: nil, publishAt: notice.postedAt)
    }

    func isOperator(_ account: AccountID) throws -> Bool {
        guard let known = try service.reading({ try $0.account(account) }) else { return false }
        return service.isOperator(known)
    }
}

struct NoticeRequest {
    let title: String
    let text: String
    /// `all`, `shop` or `holders`.
    let audience: String
    /// For `shop`, nil for the sender's only open one. For `holders`, a shop of the campaign, or nil.
    let shop: String?
    /// For `holders`.
    let campaign: String?
    /// Nil to post at once.
    let publishAt: Instant?

    init(_ fields: inout FieldReader) {
        shop = fields.optionalString("shop")
        title = fields.string("title")
        text = fields.string("text")
        audience = fields.string("audience")
        campaign = fields.optionalString("campaign")
        publishAt = fields.optionalTime("publishAt")
    }
}

struct NoticeAnswer: JSONRecord {
    let id: NoticeID
    /// Nil for a reminder, or if the author was erased.
    let title: String?
    /// Nil for a reminder, or if the author was erased.
    let text: String?
    let audience: NoticeAudience
    /// Nil if the audience is everybody.
    let shopName: String?
    let postedAt: Instant?
    var publishAt: Instant?
    /// Nil if the answer does not say so.
    var isRead: Bool?
    /// Nil for other notices.
    var reminder: PostedReminder?
    /// Nil for other notices.
    var alert: PostedAlert?

    var fields: JSONFields {
        let content: JSONFields = [
            "id": id, "title": title, "text": text, "audience": audienceText, "campaign": IfPresent(audience.campaign),
            "card": IfPresent(reminder?.card), "expiresAt": IfPresent(reminder?.expiresAt), "daysLeft": IfPresent(reminder?.daysLeft),
            "search": IfPresent(alert?.search), "campaigns": IfPresent(alert?.campaigns), "hasMore": IfPresent(alert?.hasMore),
        ]
        let shop = audience.shop.map { ["id": $0, "name": shopName] as JSONFields }
        return content + ["shop": shop, "postedAt": postedAt, "publishAt": IfPresent(publishAt), "read": IfPresent(isRead)]
    }

    private var audienceText: String {
        if reminder != nil { return "card" }
        if alert != nil { return "search" }
        return audience.shop == nil ? "all" : audience.campaign == nil ? "shop" : "holders"
    }
}
