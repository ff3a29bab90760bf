import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// The routes that publish, read, edit, end and reopen a campaign.
struct CampaignRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/shops/{id}/campaigns", publish), .get("/v1/campaigns/{id}", campaign), .patch("/v1/campaigns/{id}", edit),
            .post("/v1/campaigns/{id}/end") {
                try await changed($0, $1, "POST /v1/campaigns/end") { .endCampaign(EndCampaign(campaign: $0)) }
            },
            .post("/v1/campaigns/{id}/reopening") {
                try await changed($0, $1, "POST /v1/campaigns/reopening") { .reopenCampaign(ReopenCampaign(campaign: $0)) }
            },
        ]
    }

    private func publish(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self)
        let draft = try await request.json(CampaignRequest.init).draft()
        let caller = write.caller(Self.canonical(draft, of: shop))
        if let image = draft.terms.image { try await resources.requireNameable([image], in: "image", of: caller) }
        let sender = RequestSender(caller)
        let acceptance = try await resources.service.publishCampaign(draft, of: shop, by: sender.caller)
        guard case .campaignPublished(let event) = acceptance.facts.last?.event else { throw Resources.missingFact(acceptance) }
        let answer = try resources.campaignAnswer(event.campaign, at: acceptance, by: sender)
        let response = Response.written(.created, for: acceptance, location: "/v1/campaigns/" + event.campaign.text, answer)
        return response.tagged(answer.campaign.version)
    }

    private func campaign(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Campaign.self)
        let viewer = try await resources.gate.admitAnyone(request)?.account
        try await resources.awaitPosition(of: request, by: viewer, in: ShopRatings.name, Discovery.name)
        let found = try resources.existing { try $0.campaign(id) }
        let known = resources.knownShops()
        let shop = try known.shop(found.shop)
        let campaign = try resources.service.opened(found, of: shop)
        let rating = try resources.service.models.ratings.rating(of: shop.id)
        let standing = try resources.service.discovery.standings(of: [id], for: viewer)[id] ?? .new
        let isManager = viewer.flatMap { shop.role(of: $0) }.map { $0 >= .manager } ?? false
        let claimant = campaign.kind == .coupon ? viewer : nil
        let answer = CampaignAnswer(
            campaign: campaign, shop: shop, shops: try isManager ? known.named(by: found) : known.sharing(found), now: resources.now,
            rating: rating, standing: standing,
            coupon: try claimant.flatMap { claimant in try resources.service.reading { try $0.tally(of: claimant, in: id).first } })
        return Response.ok(answer, version: campaign.version, to: request)
    }

    private func edit(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Campaign.self)
        let expected = EntityTag.expected(by: request)
        let body = try await request.json(CampaignEditRequest.init)
        let edit = try body.command(for: id, expecting: expected)
        let caller = write.caller(Self.canonical(edit))
        if case .set(let image) = edit.image {
            try await resources.requireNameable([image], in: "image", of: caller) {
                [try resources.service.reading { try $0.campaign(id) }?.image].compactMap { $0 }
            }
        }
        let sender = RequestSender(caller)
        return try edited(id, try await resources.service.editCampaign(edit, by: sender.caller), sender)
    }

    private func edited(_ id: CampaignID, _ acceptance: Acceptance, _ sender: RequestSender) throws -> Response {
        let answer = try resources.campaignAnswer(id, at: acceptance, by: sender)
        return Response.written(.ok, for: acceptance, answer).tagged(answer.campaign.version)
    }

    private func changed(
        _ request: Request, _ context: APIContext, _ operation: String, by command: (CampaignID) -> Command
    ) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Campaign.self)
        let sender = RequestSender(write.caller(operation, id))
        return try edited(id, try await resources.service.submit(command(id), by: sender.caller), sender)
    }

    private static func canonical(_ draft: CampaignDraft, of shop: ShopID) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/shops/campaigns", shop, draft.kind.rawValue)
        request.add(draft.terms.title)
        request.add(draft.terms.details)
        request.add(draft.terms.goal)
        request.add(draft.terms.reward)
        request.add(UInt64(bitPattern: draft.terms.startsAt.microseconds))
        request.add(UInt64(bitPattern: draft.terms.endsAt.microseconds))
        // Image and caps are added only if one is present, so that requests of older clients keep their content.
        if draft.terms.image != nil || draft.terms.caps != .none {
            request.add(draft.terms.image?.text)
            request.add(draft.terms.caps.stampsPerDayMax)
            request.add(draft.terms.caps.minimumGapSeconds)
        }
        draft.terms.options.add(to: &request)
        return request
    }

    /// Leaves out the expected version, so that a retry may name another.
    private static func canonical(_ edit: EditCampaign) -> CanonicalRequest {
        var request = CanonicalRequest("PATCH /v1/campaigns", edit.campaign)
        request.add(edit.title)
        request.add(edit.details)
        request.add(edit.goal)
        request.add(edit.reward)
        request.add(edit.startsAt.map { Int($0.microseconds) })
        request.add(edit.endsAt.map { Int($0.microseconds) })
        request.add(edit.image) { $0.add($1.value) }
        request.add(edit.stampsPerDayMax) { $0.add($1) }
        request.add(edit.minimumGapSeconds) { $0.add($1) }
        edit.options.add(to: &request)
        return request
    }
}

/// Only a stamp card must have a goal. A promotion may have no reward.
struct CampaignRequest {
    let kind: String
    let title: String
    let details: String
    let goal: Int?
    let reward: String?
    let startsAt: String
    let endsAt: String
    let image: String?
    let stampsPerDayMax: Int?
    let minimumGapSeconds: Int?
    let options: CampaignOptions

    init(_ fields: inout FieldReader) {
        kind = fields.string("kind")
        title = fields.string("title")
        details = fields.string("details")
        goal = fields.optionalInt("goal")
        reward = fields.optionalString("reward")
        startsAt = fields.string("startsAt")
        endsAt = fields.string("endsAt")
        image = fields.optionalString("image")
        stampsPerDayMax = fields.optionalInt("stampsPerDayMax")
        minimumGapSeconds = fields.optionalInt("minimumGapSeconds")
        options = CampaignOptions(&fields)
    }
}

extension CampaignRequest {
    /// The draft, which the service checks against the rules.
    ///
    /// - Throws: `invalidRequest` with every value that is no kind or time, and a stamp card's missing goal or reward; otherwise for a text
    ///   that is no image id.
    func draft() throws -> CampaignDraft {
        let (kind, start, end) = (CampaignKind(rawValue: kind), Instant(rfc3339: startsAt), Instant(rfc3339: endsAt))
        var errors: [FieldError] = []
        func require(_ condition: Bool, _ field: String, _ fault: RequestFault) {
            if !condition { errors.append(FieldError(field: field, fault: fault)) }
        }
        require(kind != nil, "kind", .oneOf(CampaignKind.allCases.map(\.rawValue)))
        require(kind != .stampCard || goal != nil, "goal", .requiredForStampCard)
        require(kind != .stampCard || reward != nil, "reward", .requiredForStampCard)
        require(start != nil, "startsAt", .form(.time))
        require(end != nil, "endsAt", .form(.time))
        guard errors.isEmpty, let kind, let start, let end else { throw Problem(.invalidRequest, errors: errors) }
        return CampaignDraft(
            kind: kind,
            terms: CampaignTerms(
                title: title, details: details, goal: goal ?? 0, reward: reward ?? "", startsAt: start, endsAt: end,
                image: try image.map { try Resources.image(named: $0, in: "image") },
                caps: StampCaps(stampsPerDayMax: stampsPerDayMax, minimumGapSeconds: minimumGapSeconds), options: options))
    }
}

/// Absent fields stay. Null removes a reward, an image, a cap or an optional term.
struct CampaignEditRequest {
    let title: String?
    let details: String?
    let goal: Int?
    let reward: Change<String>
    let startsAt: String?
    let endsAt: String?
    let image: Change<String>
    let stampsPerDayMax: Change<Int>
    let minimumGapSeconds: Change<Int>
    let options: CampaignOptionChanges

    init(_ fields: inout FieldReader) {
        title = fields.editedString("title")
        details = fields.editedString("details")
        goal = fields.editedInt("goal")
        reward = fields.changedString("reward")
        startsAt = fields.editedString("startsAt")
        endsAt = fields.editedString("endsAt")
        image = fields.changedString("image")
        stampsPerDayMax = fields.changedInt("stampsPerDayMax")
        minimumGapSeconds = fields.changedInt("minimumGapSeconds")
        options = CampaignOptionChanges(&fields)
    }
}

extension CampaignEditRequest {
    /// The command, which the service checks against the rules.
    ///
    /// - Throws: `invalidRequest` with every value that is no time; otherwise for a text that is no image id.
    func command(for campaign: CampaignID, expecting expected: ExpectedVersion) throws -> EditCampaign {
        let (start, end) = (startsAt.map { Instant(rfc3339: $0) }, endsAt.map { Instant(rfc3339: $0) })
        var errors: [FieldError] = []
        for (field, time) in [("startsAt", start), ("endsAt", end)] {
            guard case .some(.none) = time else { continue }
            errors.append(FieldError(field: field, fault: .form(.time)))
        }
        guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) }
        return EditCampaign(
            campaign: campaign, expected: expected, title: title, details: details, goal: goal, reward: newReward,
            startsAt: start ?? nil, endsAt: end ?? nil, image: try newImage, stampsPerDayMax: stampsPerDayMax,
            minimumGapSeconds: minimumGapSeconds, options: options)
    }

    /// Null becomes an empty text, which only a promotion may have.
    private var newReward: String? {
        switch reward {
        case .unchanged: nil
        case .removed: ""
        case .set(let text): text
        }
    }

    private var newImage: Change<ImageID> {
        get throws {
            switch image {
            case .unchanged: .unchanged
            case .removed: .removed
            case .set(let text): .set(try Resources.image(named: text, in: "image"))
            }
        }
    }
}
