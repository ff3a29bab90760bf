import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// Routes that list the acts at a shop's counter for owner and staff, newest first, and destroy a staff member's open codes.
struct ShopActRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/shops/{id}/codes", codes), .delete("/v1/shops/{id}/codes", destroyCodes), .get("/v1/shops/{id}/stamps", stamps),
            .get("/v1/shops/{id}/redemptions", redemptions),
        ]
    }

    /// `GET /shops/{id}/codes?status=&staff=`, for managers.
    private func codes(_ request: Request, _ context: APIContext) async throws -> Response {
        let shop = try await resources.shop(request, context, for: .manager)
        var query = QueryReader(request)
        let status: CodeStatus? = query.choice("status")
        let staff = try query.id("staff", of: Account.self)
        try query.verdict()
        let now = resources.now
        let list = "codes of \(shop.id.text) \(status?.rawValue ?? "") \(staff?.text ?? "")"
        // A code older than two days is no longer open.
        let days = status == .open ? ReportZone(name: "UTC").map { ShopDays($0.day(of: now) - 2 ... .max, in: $0) } : nil
        let known = resources.knownShops()
        var labels = StaffLabels(at: shop.id, resources)
        return try page(request, [.codeIssued], of: shop, on: days, list) { past, _, fact in
            guard staff == nil || staff == fact.actor, case .codeIssued(let event) = fact.event, let code = try past.code(event.code)
            else { return nil }
            let current = code.status(at: now, of: shop, home: try code.home.map(known.stored))
            guard status == nil || status == current else { return nil }
            return code.fields(status: current, isListed: true) + (try labels.fields(of: code.issuer))
        }
    }

    /// `DELETE /shops/{id}/codes?staff=` destroys a member's open codes.
    private func destroyCodes(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self)
        guard let staff = try QueryReader(request).id("staff", of: Account.self) else { throw Problem.invalid("staff", .required) }
        let caller = write.caller("DELETE /v1/shops/codes", shop, staff)
        return .done(try await resources.service.destroyCodes(of: staff, at: shop, by: caller))
    }

    /// `GET /shops/{id}/stamps?from=&to=`.
    private func stamps(_ request: Request, _ context: APIContext) async throws -> Response {
        let shop = try await resources.shop(request, context, for: .counter)
        let days = try StatisticsRoutes.listedDays(request, of: shop)
        let types: [EventType] = [.cardStamped, .paperStamped]
        var labels = StaffLabels(at: shop.id, resources)
        return try page(request, types, of: shop, on: days, "stamps of \(shop.id.text)" + (days?.text ?? "")) {
            past, cards, fact in
            switch fact.event {
            case .cardStamped(let event):
                guard let code = try past.code(event.code) else { return nil }
                // The reward of a redeemed card was handed out, so the stamps cannot be reversed.
                let isRedeemed = try cards.card(event.card)?.isRewarded ?? false
                let act = Self.fields(fact, code, event.stamps, on: ["card": event.card, "isRedeemed": isRedeemed])
                return act + (try labels.fields(of: code.issuer))
            case .paperStamped(let event):
                // Once the paper card's code was used for an account, the list shows the stamps on the account's card.
                guard let code = try past.code(event.code), !code.isUsed else { return nil }
                let isTaken = try past.paper(event.paper.id)?.holder != nil
                let act = Self.fields(fact, code, event.stamps, on: ["paper": event.paper.id], isTaken: isTaken)
                return act + (try labels.fields(of: code.issuer))
            default: return nil
            }
        }
    }

    /// - Parameter isTaken: the paper card was added to an account without this code, which can no longer be used.
    private static func fields(_ fact: Fact, _ code: Code, _ stamps: Int, on place: JSONFields, isTaken: Bool = false) -> JSONFields {
        let status = code.isReversed ? "reversed" : isTaken ? "taken" : "given"
        let act: JSONFields = [
            "position": fact.position, "at": fact.time, "stamps": stamps, "status": status, "left": IfPresent(code.stampsLeft),
        ]
        return act + place + ["campaign": code.campaign, "code": code.id, "staff": code.issuer]
    }

    /// `GET /shops/{id}/redemptions?from=&to=`.
    private func redemptions(_ request: Request, _ context: APIContext) async throws -> Response {
        let shop = try await resources.shop(request, context, for: .counter)
        let days = try StatisticsRoutes.listedDays(request, of: shop)
        let types: [EventType] = [.cardRedeemed, .milestoneRedeemed]
        var labels = StaffLabels(at: shop.id, resources)
        return try page(request, types, of: shop, on: days, "redemptions of \(shop.id.text)" + (days?.text ?? "")) {
            past, _, fact in
            guard let id = fact.event.handedOut, let redemption = try past.redemption(id) else { return nil }
            let act: JSONFields = [
                "id": redemption.id, "position": fact.position, "at": fact.time,
                "status": redemption.isReversed ? "reversed" : "redeemed", "card": redemption.card, "campaign": redemption.campaign,
                "milestone": IfPresent(redemption.milestone), "staff": fact.actor,
            ]
            return act + (try labels.fields(of: fact.actor))
        }
    }

    /// Newest first.
    private func page(
        _ request: Request, _ types: [EventType], of shop: Shop, on days: ShopDays?, _ list: String,
        item: (LogPast<EventLog>, inout PageOfCards<EventLog>, Fact) throws -> JSONFields?
    ) throws -> Response {
        let page = try resources.page(PageRequest(request), of: list)
        var items: [JSONFields] = []
        let acts = try resources.service.reading { past in
            var cards = PageOfCards(past)
            return try past.acts(types, at: shop.id, on: days, before: page.position, limit: page.limit) { fact in
                guard let item = try item(past, &cards, fact) else { return false }
                items.append(item)
                return true
            }
        }
        return .ok(page.answer(items, next: acts.next))
    }
}

extension Resources {
    /// Refuses a caller without the role there.
    func shop(_ request: Request, _ context: APIContext, for role: Role) async throws -> Shop {
        let bearer = try await gate.admit(request)
        let id = try context.id(Shop.self)
        try await awaitPosition(of: request)
        let shop = try existing { try $0.shop(id) }
        try shop.require(role, of: bearer.account)
        return shop
    }
}

extension ShopDays {
    /// Makes a cursor valid for the same days only.
    fileprivate var text: String { " from \(days.lowerBound) to \(days.upperBound) in \(zone.name)" }
}
