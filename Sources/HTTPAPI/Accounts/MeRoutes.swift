import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// The routes by which an account reads its own data and its cards.
struct MeRoutes {
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
        let page = try PageRequest(request)
        let statuses = try Self.statuses(request.uri.queryParameters["status"])
        let list = "cards of " + bearer.account.text
        let before = try page.place(in: list, by: resources.signing.cursors)
        try await resources.awaitPosition(of: request, by: bearer.account, in: CardProgress.name)
        let reached = resources.service.models.position(of: CardProgress.name)
        // One moment for filter and answer, so that no card has a status that the request left out.
        let now = resources.now
        let found = try resources.service.models.cards.cards(
            of: bearer.account, statuses: statuses, at: now, before: before, limit: page.limit)
        let shown = max(reached, found.position)
        let items = try resources.listed(found.cards, through: shown, at: now)
        return Response.ok(Page(items: items, next: found.next.map { resources.signing.cursors.text($0, in: list) })).showing(shown)
    }

    /// By default, those in which a card can still be used.
    private static func statuses(_ text: Substring?) throws -> Set<CardStatus> {
        guard let text else { return [.collecting, .full] }
        let statuses = try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let status = CardStatus.allCases.first(where: { $0.text == name }) else {
                throw Problem.invalid("status", .someOf(CardStatus.allCases.map(\.text)))
            }
            return status
        }
        return Set(statuses)
    }
}
