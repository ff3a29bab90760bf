import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import WebPages

/// The route of a shop's findings for today.
struct DigestRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/v1/shops/{id}/digest", digest)] }

    private var models: ReadModels { resources.service.models }

    private func digest(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        try await resources.awaitPosition(
            of: request, by: bearer.account, in: Statistics.name, Journeys.name, Deadlines.name, Customers.name)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        await resources.service.catchUp(Statistics.name, Journeys.name, Deadlines.name, Customers.name)
        let shown = [Statistics.name, Journeys.name, Deadlines.name, Customers.name].map { models.position(of: $0) }.min() ?? .start
        let slot = try resources.slots.shopReports.take()
        defer { slot.giveBack() }
        let time = DigestTime(resources.now, in: shop.reportZone)
        let campaigns = try resources.service.reading { try $0.campaigns(of: id) }.filter { $0.kind == .stampCard }
        let figures = try await figures(of: shop, campaigns, time)
        let running = campaigns.filter { $0.isRunning(at: time.now) }
        let known = DigestShop(owner: shop.owner, openingHours: shop.schedule.openingHours, campaigns: running)
        // A shop that is closed or suspended can do nothing about a finding.
        let digest = shop.closing == nil && !shop.isSuspended ? ShopDigest(of: figures, at: known) : nil
        let words = DigestWords(
            language: PageLanguage(accepting: request.headers[.acceptLanguage]), shop: try resources.service.opened(shop),
            last: time.zone.day(of: time.now.advanced(bySeconds: Int64(ReadModelLimits.digestEndingDays) * 86_400)))
        var (authors, labels) = (Authors(at: shop, resources), StaffLabels(at: id, resources))
        let findings = try (digest?.findings ?? []).map { finding in
            var member: String?
            if case .unusualReversals(let found) = finding {
                member = try labels.name(of: found.account, among: &authors, in: words.language)
            }
            return DigestFindingAnswer(finding: finding, act: finding.act(at: known), member: member, words: words)
        }
        let answer: JSONFields = [
            "shop": id, "timeZone": time.zone.name, "date": FullDate.text(time.today), "today": figures.acts.map { Self.fields($0.today) },
            "fullCards": figures.cards?.full, "findings": findings, "unanswered": digest?.unanswered.map(\.rawValue) ?? [],
        ]
        return Response.ok(answer).showing(shown).unstored()
    }

    private func figures(of shop: Shop, _ campaigns: [Campaign], _ time: DigestTime) async throws -> DigestFigures {
        // A later edit of the last day for rewards does not change older cards, so this is the campaigns' present rule.
        let open = campaigns.filter { $0.options.redeemUntil.map { time.now < $0 } ?? true }
        let counted = Dictionary(uniqueKeysWithValues: open.map { ($0.id, $0.isRunning(at: time.now)) })
        let (models, id) = (models, shop.id)
        var figures = try await resources.reports.make { () throws(ReadModelError) in
            DigestFigures(
                acts: try Self.ifReadable { () throws(ReadModelError) in try models.statistics.digest(of: id, time) },
                cards: try Self.ifReadable { () throws(ReadModelError) in
                    try models.journeys.digest(of: id, time, campaigns: counted) { (holder) throws(ReadModelError) in
                        try models.customers.has(holder, of: id)
                    }
                },
                ending: try Self.ifReadable { () throws(ReadModelError) in try models.deadlines.ending(of: id, time) })
        }
        figures.reversals = try resources.service.reversals(at: id, on: ShopDays(time.days, in: time.zone))
        return figures
    }

    /// Nil if the figures would need too many rows.
    static func ifReadable<Figures>(_ read: () throws(ReadModelError) -> Figures) throws(ReadModelError) -> Figures? {
        do {
            return try read()
        } catch {
            guard error.code == .tooMuch else { throw error }
            return nil
        }
    }

    private static func fields(_ day: ShopReport.Day) -> JSONFields {
        [
            "stamps": day.stamps, "newCards": day.newCards, "activeCustomers": day.activeCustomers, "redemptions": day.redemptions,
            "reversals": day.reversals,
        ]
    }
}

/// The sentences of a digest in the reader's language.
struct DigestWords {
    let language: PageLanguage
    let shop: Shop
    /// The last day on which cards that end soon are valid.
    let last: Int

    private func say(_ word: Word, count: Int? = nil, _ values: [String: String] = [:]) -> String {
        language.say(word, count: count, values)
    }

    private func percent(_ share: Double) -> String {
        let number = Int((share * 100).rounded())
        return language == .english ? "\(number) %" : "\(number)%"
    }

    static func hour(_ hour: Int) -> String { (hour < 10 ? "0" : "") + "\(hour):00" }

    func question(_ finding: DigestFinding, _ act: DigestAct, member: String?) -> String {
        switch finding {
        case .cardsEnding(let found): say(.digestAskEnding, count: found.cards, ["day": FullDate.text(last)])
        case .rewardsWaiting(let found): say(.digestAskWaiting, count: found.cards)
        case .unusualReversals(let found):
            say(
                .digestAskReversals,
                [
                    "member": member ?? "", "given": "\(found.member.given)", "reversed": "\(found.member.reversed)",
                    "othersGiven": "\(found.others.given)", "othersReversed": "\(found.others.reversed)",
                ])
        case .cardsLeft(let found):
            switch act {
            case .editCampaign(_, .welcomeStamps): say(.digestAskLeftWelcome, count: found.stamps, ["share": percent(found.share)])
            case .editCampaign(_, .milestone): say(.digestAskLeftMilestone, count: found.stamps, ["share": percent(found.share)])
            default: say(.digestAskLeft, count: found.stamps, ["share": percent(found.share)])
            }
        case .quietHour(let found):
            say(
                act == .none ? .digestAskQuiet : .digestAskQuietBonus,
                [
                    "from": Self.hour(found.hour), "to": Self.hour(found.hour + 1),
                    "share": percent(Double(found.visits) / found.expected),
                ])
        }
    }

    /// The message to customers for a finding, as a form is filled in with it.
    func message(_ finding: DigestFinding) -> JSONFields {
        let name = shop.name.isEmpty ? say(.unnamedShop) : shop.name
        guard case .cardsEnding = finding else {
            return ["title": say(.digestWaitingTitle), "text": say(.digestWaitingText, ["shop": name])]
        }
        return ["title": say(.digestEndingTitle), "text": say(.digestEndingText, ["shop": name, "day": FullDate.text(last)])]
    }
}

private struct DigestFindingAnswer: JSONRecord {
    let finding: DigestFinding
    let act: DigestAct
    /// The name of the member with unusual reversals.
    let member: String?
    let words: DigestWords

    var fields: JSONFields {
        [
            "kind": finding.kind.rawValue, "cases": finding.cases, "figures": figures,
            "question": words.question(finding, act, member: member), "act": actFields,
        ]
    }

    private var figures: JSONFields {
        switch finding {
        case .cardsEnding(let found): ["cards": found.cards, "until": FullDate.text(words.last)]
        case .rewardsWaiting(let found): ["cards": found.cards, "days": ReadModelLimits.digestWaitingDays]
        case .cardsLeft(let found):
            [
                "campaign": found.campaign, "stamps": found.stamps, "reached": found.reached, "left": found.left, "share": found.share,
            ]
        case .quietHour(let found):
            [
                "from": DigestWords.hour(found.hour), "to": DigestWords.hour(found.hour + 1), "days": found.days.names,
                "visits": found.visits, "expected": found.expected,
            ]
        case .unusualReversals(let found):
            [
                "account": found.account, "given": found.member.given, "reversed": found.member.reversed,
                "othersGiven": found.others.given, "othersReversed": found.others.reversed,
            ]
        }
    }

    private var actFields: JSONFields {
        switch act {
        case .publishCampaign(let filling): ["kind": "publishCampaign", "fills": Self.fields(filling)]
        case .editCampaign(let campaign, let filling): ["kind": "editCampaign", "campaign": campaign, "fills": Self.fields(filling)]
        case .message: ["kind": "message", "fills": words.message(finding)]
        case .none: ["kind": "none"]
        }
    }

    private static func fields(_ filling: DigestFilling) -> JSONFields {
        switch filling {
        case .welcomeStamps(let stamps): ["welcomeStamps": stamps]
        case .milestone(let stamps): ["milestone": stamps]
        case .bonus(let bonus): ["bonus": bonus]
        }
    }
}
