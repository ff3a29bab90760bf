import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// The routes by which an account reads its own data and its cards.
struct MeRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [.get("/v1/me", me), .get("/v1/me/cards", cards)]
    }

    private func me(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let answer = try resources.accountAnswer(bearer.account, through: shown)
        return Response.ok(answer, version: answer.version, to: request).showing(shown)
    }

    private func cards(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let size = try PageRequest(request)
        let statuses = try Self.statuses(request)
        let page = try resources.page(size, of: "cards of " + bearer.account.text)
        try await resources.awaitPosition(of: request, by: bearer.account, in: CardProgress.name)
        let reached = resources.service.models.position(of: CardProgress.name)
        // One moment for filter and answer, so that no card has a status that the request left out.
        let now = resources.now
        let found = try resources.service.models.cards.cards(
            of: bearer.account, statuses: statuses, at: now, before: page.position, limit: page.limit)
        let shown = max(reached, found.position)
        let items = try resources.listed(found.cards, through: shown, at: now)
        return Response.ok(page.answer(items, next: found.next)).showing(shown)
    }

    /// By default, those in which a card can still be used.
    private static func statuses(_ request: Request) throws(Problem) -> Set<CardStatus> {
        let all = Dictionary(uniqueKeysWithValues: CardStatus.allCases.map { ($0.text, $0) })
        let named = try request.parameter("status", .someOf(CardStatus.allCases.map(\.text))) { text -> Set<CardStatus>? in
            let statuses = text.split(separator: ",", omittingEmptySubsequences: false).map { all[String($0)] }
            return statuses.contains(nil) ? nil : Set(statuses.compactMap(\.self))
        }
        return named ?? [.collecting, .full]
    }
}
