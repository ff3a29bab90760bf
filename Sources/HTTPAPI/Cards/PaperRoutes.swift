import CommandService
import Composition
import Foundation
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Sheets
import WebPages

/// The routes by which a shop prints paper cards and a customer takes one; ``BadgeRoutes`` stamps them.
struct PaperRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/shops/{id}/paper-cards", printed), .post("/v1/me/paper-cards", taken),
            .get("/v1/me/paper-cards/{code}", lookedAt),
        ]
    }

    /// `POST /shops/{id}/paper-cards`: a sheet as PDF, or the codes alone as JSON.
    private func printed(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self)
        let (named, count) = try await request.json { ($0.string("campaign"), $0.int("count")) }
        guard let campaign = CampaignID(text: named) else { throw Problem(.notFound) }
        let caller = write.caller("POST /v1/shops/paper-cards", shop, campaign, count)
        // Checked before a card is printed, so that a refusal changes nothing.
        try requireAddress()
        let order = Order(count: count, campaign: campaign, shop: shop, caller: caller)
        guard Self.isForPrograms(request) else { return try await drawn(order) }
        let acceptance = try await printed(order)
        let event = try Self.event(acceptance)
        let answer: JSONFields = [
            "id": event.print, "campaign": event.campaign, "cards": codes(of: event), "position": acceptance.position,
        ]
        return Response.written(.created, for: acceptance, answer).unstored()
    }

    private func drawn(_ order: Order) async throws -> Response {
        let account = order.caller.account
        // The role is checked before a slot is taken, so that accounts without it cannot keep shops from printing. A retry of an accepted
        // request passes.
        let isAnswered = try resources.service.isAnswered(order.caller)
        if !isAnswered { try resources.existing { try $0.shop(order.shop) }.require(.manager, of: account) }
        let slot = try resources.slots.sheets.take()
        defer { slot.giveBack() }
        if !isAnswered, let shown = try sheet(of: order.campaign, at: order.shop) { try await requireFonts(for: shown) }
        try resources.budgets[.sheets].take(account)
        var isDrawn = false
        defer { if !isDrawn { resources.budgets[.sheets].forgive(account) } }
        let acceptance = try await printed(order)
        let event = try Self.event(acceptance)
        isDrawn = true
        guard let sheet = try sheet(of: event.campaign, at: event.shop, by: acceptance) else { throw Resources.missingFact(acceptance) }
        // The texts or the fonts may have changed since the first check.
        try await requireFonts(for: sheet)
        guard let bytes = await Self.drawn(sheet, codes(of: event)) else {
            throw Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds)
        }
        return Response.sheet(bytes, named: event.print.text, for: acceptance).unstored()
    }

    /// In the order of the cards' numbers.
    private func codes(of event: PaperCardsPrinted) -> [ShownPaper] {
        (0..<event.count).map { ShownPaper(resources.service.paperCode($0, of: event), publicURL: resources.publicURL) }
    }

    /// Refuses loopback addresses outside development, because a printed link cannot be corrected.
    private func requireAddress() throws {
        guard resources.configuration.isDevelopment || !resources.isAtLoopback else { throw Problem.paperNotPrinted }
    }

    private static func isForPrograms(_ request: Request) -> Bool {
        guard let accepted = request.headers[.accept]?.lowercased() else { return false }
        return accepted.contains(ContentTypes.json) && !accepted.contains(ContentTypes.pdf)
    }

    /// Refuses cards with boxes in place of characters.
    private func requireFonts(for sheet: PaperSheet) async throws {
        let missing = await withCheckedContinuation { continuation in
            Self.drawing.async { continuation.resume(returning: sheet.missingCharacters()) }
        }
        let errors = [("shop", missing.shop), ("campaign", missing.campaign)].filter { !$1.isEmpty }.map { field, characters in
            let named = characters.prefix(Self.charactersNamedMax).map(String.init).joined(separator: " ")
            return FieldError(field: field, fault: .unprintable(named))
        }
        guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) }
    }

    private static let charactersNamedMax = 20

    /// The sheet with texts as of the printing, so that a retry gets the same. Nil without such a campaign, or if the shop does not print
    /// its cards.
    private func sheet(of id: CampaignID, at shopID: ShopID, by acceptance: Acceptance? = nil) throws -> PaperSheet? {
        let position = acceptance?.position
        let shop = try resources.shop(shopID, through: position)
        let found = try resources.service.reading(through: position) { try $0.campaign(id) }
        guard let found, found.shop == shopID else { return nil }
        let campaign = try resources.service.opened(found, of: shop)
        let printed = acceptance?.facts.last?.time ?? resources.now
        return PaperSheet(
            shop: shop.name, campaign: campaign.title.open ?? "", reward: campaign.reward.open ?? "", goal: campaign.goal,
            lastDay: Self.lastDay(of: campaign, at: shop, seenAt: printed), created: printed, color: shop.look.color,
            paper: PaperSize(region: shop.region))
    }

    /// Nil if no paper card will last until then.
    private static func lastDay(of campaign: Campaign, at shop: Shop, seenAt now: Instant) -> String? {
        guard campaign.terms.endsAt < now.advanced(bySeconds: Limits.printedEndSecondsMax) else { return nil }
        let zone = ReportZone(name: shop.schedule.timeZone) ?? .utc
        return FullDate.text(zone.day(of: Instant(microseconds: campaign.terms.endsAt.microseconds - 1)))
    }

    /// On a thread of its own, one sheet at a time: five hundred cards take a second and some megabytes. Nil if memory was short.
    private static func drawn(_ sheet: PaperSheet, _ codes: [ShownPaper]) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            drawing.async {
                let cards = codes.map { PaperSheet.Card($0) }
                continuation.resume(returning: cards.contains { $0 == nil } ? nil : sheet.pdf(cards.compactMap(\.self)))
            }
        }
    }

    private static let drawing = FairThread("greentea.sheets", .sheetThread, qos: .utility)

    /// A request for paper cards. A class because of a fault of Swift 6.3.1: an asynchronous function with these parts as parameters jumps
    /// to address 0 when it awaits the log's writer.
    private final class Order: Sendable {
        let count: Int
        let campaign: CampaignID
        let shop: ShopID
        let caller: Caller

        init(count: Int, campaign: CampaignID, shop: ShopID, caller: Caller) {
            (self.count, self.campaign, self.shop, self.caller) = (count, campaign, shop, caller)
        }
    }

    /// Strips of codes use up the same budget.
    private func printed(_ order: Order) async throws -> Acceptance {
        let command = resources.service.printing(order.count, of: order.campaign, at: order.shop)
        return try await resources.counted(.strips, by: order.caller) {
            try await resources.service.printPapers(command, by: order.caller)
        }
    }

    private static func event(_ acceptance: Acceptance) throws -> PaperCardsPrinted {
        guard case .paperCardsPrinted(let event) = acceptance.facts.last?.event else { throw Resources.missingFact(acceptance) }
        return event
    }

    /// `GET /me/paper-cards/{code}`. A paper card that somebody else has taken is refused like an unknown one.
    private func lookedAt(_ request: Request, _ context: APIContext) async throws -> Response {
        let account = try await resources.gate.admit(request).account
        // Before the look-up, or a code whose print this node does not have yet would count as a guess.
        try await resources.awaitPosition(of: request)
        let code = context.parameters.get("code").flatMap { PaperCode(typed: $0) }
        let name = try await resources.paper(with: code, for: Caller(account: account))
        let (print, paper) = try resources.service.reading { (try $0.print(name.print), try $0.paper(name.id)) }
        guard let print, paper?.holder == nil || paper?.holder == account else { throw Problem(.paperNotValid) }
        let shop = try resources.shop(print.shop)
        let campaign = try resources.service.opened(try resources.existing { try $0.campaign(print.campaign) }, of: shop)
        let shown: JSONFields = [
            "id": campaign.id, "title": campaign.title.open ?? "", "goal": campaign.goal, "reward": campaign.reward.open ?? "",
        ]
        let place: JSONFields = ["id": shop.id, "name": shop.name]
        let answer: JSONFields = ["shop": place, "campaign": shown, "stamps": paper?.stamps ?? 0, "isMine": paper?.holder == account]
        return Response.ok(answer).unstored()
    }

    /// `POST /me/paper-cards`.
    private func taken(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request, requiresKey: true)
        let typed = try await request.json { $0.string("code") }
        let code = ShownPaper.code(in: typed)
        var canonical = CanonicalRequest("POST /v1/me/paper-cards")
        if let code { canonical.add(code.bits) } else { canonical.add(typed) }
        let caller = write.caller(canonical)
        let paper = try await resources.paper(with: code, for: caller)
        let acceptance = try await resources.service.takePaper(paper, by: caller)
        guard let event = acceptance.paperTaken else { throw Resources.missingFact(acceptance) }
        let reasons = try resources.reasons(of: acceptance.cards)
        // The account's cards that received the paper card's stamps; none if it had none.
        let cards = try acceptance.cards.map { CardAnswer(card: try resources.service.opened($0), reasons: reasons) }
        let answer: JSONFields = [
            "campaign": event.campaign, "card": IfPresent(cards.first), "cards": cards, "added": acceptance.stampsAdded,
            "position": acceptance.position,
        ]
        return .written(.created, for: acceptance, answer)
    }
}

extension Resources {
    /// Finds the paper card with this code; nil stands for a text that cannot be one. Only a text that is not a printed code is a guess,
    /// and uses up the caller's budget, shared with wrong stamp codes.
    func paper(with code: PaperCode?, for caller: Caller) async throws -> PaperName {
        let budget = budgets[.stampCodes]
        let isBegun = try await begin(caller.account, of: budget, for: caller)
        var hasFailed = false
        defer { if isBegun { budget.end(caller.account, failed: hasFailed) } }
        if let code, let paper = try service.paper(with: code) { return paper }
        let refusal = try refusal(.paperNotValid, of: caller)
        hasFailed = refusal.code == .paperNotValid
        throw refusal
    }
}

struct ShownPaper: JSONRecord, Sendable {
    /// The page that a scan opens.
    static let path = "/p/"

    /// For example `K7QF-2M9X-0R3T-8WBN`.
    let text: String
    /// A link that any camera opens.
    let payload: String

    init(_ code: PaperCode, publicURL: String) {
        text = code.text
        payload = publicURL + Self.path + text.filter { $0 != "-" }
    }

    var fields: JSONFields { ["code": text, "payload": payload] }

    /// The code, or a link to ``path`` on any host.
    static func code(in text: String) -> PaperCode? {
        let scanned = text.contains("://") ? text.range(of: path, options: .backwards).map { String(text[$0.upperBound...]) } : nil
        return PaperCode(typed: scanned ?? text)
    }
}

extension PaperSheet {
    init(
        shop: String, campaign: String, reward: String, goal: Int, lastDay: String?, created: Instant, color: ShopColor?,
        paper: PaperSize = .a4
    ) {
        // The date in a PDF has whole seconds.
        let seconds = Instant(microseconds: created.microseconds - created.microseconds % 1_000_000)
        self.init(
            shop: shop, campaign: campaign, reward: reward, goal: goal, lastDay: lastDay, created: seconds.rfc3339,
            color: color.flatMap { ShopTone(of: $0) }?.light, paper: paper)
    }
}

extension PaperSheet.Card {
    /// Nil if memory was short.
    init?(_ shown: ShownPaper) {
        guard let picture = QRCode(shown.payload) else { return nil }
        self.init(text: shown.text, width: picture.width, modules: picture.modules)
    }
}

extension Acceptance {
    /// May not be the first fact, because the overdue end of another card may precede it.
    fileprivate var paperTaken: PaperCardTaken? {
        for fact in facts {
            if case .paperCardTaken(let event) = fact.event { return event }
        }
        return nil
    }
}
