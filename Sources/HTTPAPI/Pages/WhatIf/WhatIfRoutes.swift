import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore
import ReadModels
import WebPages

/// The routes of the page that answers "what if the goal had been 8?" from a shop's own history. A form starts a job of ``WhatIfJobs``; the
/// job's page shows progress and answer. Works without scripts, by reloading.
struct WhatIfRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        let path = "/shop/{id}/numbers/what-if"
        return [
            .get(path, form), .post(path, start), .get(path + "/{number}", job), .get(path + "/{number}/state", progress),
            .get(path + "/{number}/chart", chart), .post(path + "/{number}/stop", stop),
        ]
    }

    private struct Visit {
        let account: AccountID
        let shop: Shop
        let path: String
    }

    private func visit(_ request: Request, _ context: APIContext) async throws -> Visit {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        return Visit(account: bearer.account, shop: shop, path: "/shop/\(id.text)/numbers/what-if")
    }

    // MARK: The page with the form or the answer

    private func form(_ request: Request, _ context: APIContext) async throws -> Response {
        try await page(request, context) { visit in
            let fields = WhatIfForm(Form(request.uri.query ?? ""))
            return try show(visit, fields, .asking, request)
        }
    }

    private func job(_ request: Request, _ context: APIContext) async throws -> Response {
        try await page(request, context) { visit in
            let (number, job) = try find(visit, context)
            return try show(visit, job.question.form, content(of: job, number, request), request, text(of: number))
        }
    }

    /// Refuses accounts that may not see the numbers. Without a valid token, the page renews the session and loads itself again.
    private func page(_ request: Request, _ context: APIContext, _ body: (Visit) throws -> Response) async throws -> Response {
        let visit: Visit
        do {
            visit = try await self.visit(request, context)
        } catch let problem as Problem where problem.code == .unauthenticated || problem.code == .tokenExpired {
            if request.method == .get, let leading = Response.leadingToSignIn(request) { return leading }
            let frame = resources.frame(of: request)
            return .page(.whatIf(.init(shop: "", path: "", campaigns: [], content: .signedOut), in: frame), .secret)
        }
        return try body(visit)
    }

    private func show(
        _ visit: Visit, _ fields: WhatIfForm, _ content: WebPage.WhatIfView.Content, _ request: Request, _ number: String? = nil
    ) throws -> Response {
        let frame = resources.frame(of: request)
        let shown = try resources.service.opened(visit.shop)
        let found = try campaigns(of: visit.shop)
        let busiest = try busiest(of: found)
        let campaigns = try found.map { campaign in
            let title = try resources.service.opened(campaign, of: shown).title.open ?? ""
            return WebPage.WhatIfView.Campaign(id: campaign.id.text, title: title, goal: campaign.goal, isBusiest: campaign.id == busiest)
        }
        let choices = Dictionary(uniqueKeysWithValues: WhatIfForm.names.map { ($0, fields[$0]) })
        let view = WebPage.WhatIfView(
            shop: shown.name, path: visit.path, campaigns: campaigns, content: content, fields: choices,
            job: number.map { "\(visit.path)/\($0)" })
        return .page(.whatIf(view, in: frame), .secret)
    }

    /// Newest first.
    private func campaigns(of shop: Shop) throws -> [Campaign] {
        try resources.service.reading { try $0.campaigns(of: shop.id) }.filter { $0.kind == .stampCard }.reversed()
    }

    /// The campaign with the most stamps, because a new one has no history; the newest among equals, nil without stamps. Counts up to a
    /// maximum, for the newest campaigns.
    private func busiest(of campaigns: [Campaign]) throws -> CampaignID? {
        var (busiest, most) = (CampaignID?.none, 0)
        for campaign in campaigns.prefix(Limits.whatIfCampaignsCounted) {
            let stamps = Query.items([QueryItem(types: [.cardStamped], tags: [Tag(kind: .campaign, value: campaign.id.value)])])
            let count = try resources.service.log.positions(
                matching: stamps, backwards: true, limit: Limits.whatIfStampsCounted
            ).count
            if count > most { (busiest, most) = (campaign.id, count) }
        }
        return busiest
    }

    // MARK: Starting, stopping and showing jobs

    private func start(_ request: Request, _ context: APIContext) async throws -> Response {
        let body = String(decoding: try await request.bytes(atMost: Limits.formBytesMax), as: UTF8.self)
        let fields = WhatIfForm(Form(body))
        let visit: Visit
        do {
            visit = try await self.visit(request, context)
        } catch let problem as Problem where problem.code == .tokenExpired {
            // The session has expired, and the page renews it. The address keeps the form's fields, unless they do not fit.
            let isPlain = body.utf8.count <= Limits.headerFieldBytesMax / 8 && body.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return .led(to: LanguageRoutes.place(request.uri.path) + (isPlain ? "?" + body : ""))
        }
        guard let id = fields.campaign else { throw Problem.invalid("campaign", .form(.campaignID)) }
        guard let campaign = try campaigns(of: visit.shop).first(where: { $0.id == id }) else { throw Problem(.notFound) }
        let rules = try fields.rules(in: visit.shop.reportZone.name)
        try resources.budgets[.whatIfs].take(visit.account)
        let question = WhatIfQuestion(account: visit.account, shop: visit.shop.id, campaign: campaign, rules: rules, form: fields)
        return .led(to: "\(visit.path)/\(text(of: try resources.kept.whatIfs.start(question)))")
    }

    private func stop(_ request: Request, _ context: APIContext) async throws -> Response {
        let visit = try await visit(request, context)
        let (number, _) = try find(visit, context)
        resources.kept.whatIfs.end(number, of: visit.account)
        return .led(to: "\(visit.path)/\(text(of: number))")
    }

    private func progress(_ request: Request, _ context: APIContext) async throws -> Response {
        let (_, job) = try find(try await visit(request, context), context)
        let (before, done, total) =
            switch job.state {
            case .waiting(let before): (before, 0, 0)
            case .running(let done, let total): (0, done, total)
            default: (0, 0, 0)
            }
        return Response.ok(["isOver": job.isOver, "before": before, "done": done, "total": total] as JSONFields).unstored()
    }

    private func chart(_ request: Request, _ context: APIContext) async throws -> Response {
        let (_, job) = try find(try await visit(request, context), context)
        guard case .done(let report) = job.state else { throw Problem(.notFound) }
        let words = NumbersWords(language: resources.frame(of: request).language)
        let svg = WhatIfAnswer(question: job.question, report: report, words: words).chart
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/svg+xml", .contentSecurityPolicy: "default-src 'none'", .xContentTypeOptions: "nosniff",
                .cacheControl: "no-store",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: svg)))
    }

    /// A job's number, in a cluster with the name of its node: `7-tea-2`.
    private func text(of number: WhatIfJobs.Number) -> String {
        (resources.configuration.peers?.name).map { "\(number)-\($0)" } ?? "\(number)"
    }

    /// - Throws: ``AnswerElsewhere`` for a job of another node.
    private func find(_ visit: Visit, _ context: APIContext) throws -> (WhatIfJobs.Number, WhatIfJobs.Job) {
        let words = (context.parameters.get("number") ?? "").split(separator: "-", maxSplits: 1).map(String.init)
        if words.count == 2, let node = NodeName(words[1]), node != resources.configuration.peers?.name {
            throw AnswerElsewhere(node: node)
        }
        guard let number = words.first.flatMap({ WhatIfJobs.Number($0) }),
            let job = resources.kept.whatIfs.find(number, of: visit.account), job.question.shop == visit.shop.id
        else { throw Problem(.notFound) }
        return (number, job)
    }

    private func content(of job: WhatIfJobs.Job, _ number: UInt64, _ request: Request) -> WebPage.WhatIfView.Content {
        switch job.state {
        case .waiting(let before): .waiting(before: before)
        case .running(let done, let total): .running(done: done, of: total)
        case .stopped: .stopped
        case .tooLong: .tooLong
        case .failed: .failed
        case .done(let report):
            .answer(
                WhatIfAnswer(
                    question: job.question, report: report, words: NumbersWords(language: resources.frame(of: request).language)
                ).shown)
        }
    }
}

extension Response {
    /// A redirect, so that a reload does not send the form again.
    fileprivate static func led(to path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"])
    }
}
