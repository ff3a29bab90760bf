import CommandService
import EventLog
import Hummingbird
import Loyalty

/// The log itself, for operators. What is sealed stays sealed: no key is used here.
struct EventRoutes {
    let resources: Resources

    var routes: [Route] { [.get("/v1/admin/events", events)] }

    /// Oldest first. A cursor goes on where a page ended, whatever was appended meanwhile; `after` begins anywhere.
    private func events(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try await resources.gate.admitOperator(request)
        let page = try PageRequest(request)
        let asked = try EventsRequest(request)
        let after = try page.place(in: asked.list, by: resources.cursors) ?? asked.after
        try await resources.awaitMinPosition(of: request)
        // One more than asked for tells whether there is a next page.
        let found = try await resources.service.events(matching: asked.query, after: after, limit: page.limit + 1)
        let items = found.prefix(page.limit)
        let last = found.count > page.limit ? items.last.map { Position($0.position) } : nil
        let answer = Page(items: items.map { FactAnswer(fact: $0) }, next: last.map { resources.cursors.text($0, in: asked.list) })
        return Response.ok(answer).unstored()
    }
}
