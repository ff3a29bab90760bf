import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty

/// Routes of feedback to the operator.
struct FeedbackRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.post("/v1/feedback", give), .get("/v1/admin/feedback", list)] }

    private func give(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let text = try await request.json { $0.string("text") }
        try Limits.feedbackText.check(text, "text")
        let caller = write.caller("POST /v1/feedback", text)
        let acceptance = try await resources.counted(.feedback, by: caller) {
            try await resources.service.giveFeedback(text, by: caller)
        }
        guard let fact = acceptance.facts.last else { throw Resources.missingFact(acceptance) }
        return .written(.accepted, for: acceptance, ["receivedAt": fact.time] as JSONFields)
    }

    /// Newest first; the text of an erased author is null.
    private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try await resources.gate.admitOperator(request)
        let page = try resources.page(PageRequest(request), of: "feedback")
        try await resources.awaitPosition(of: request)
        // One item more shows whether there is a next page.
        let found = try await resources.service.feedback(before: page.position, limit: page.limit + 1)
        let shown = found.prefix(page.limit)
        let next = found.count > page.limit ? shown.last.map { Position($0.position) } : nil
        let items = try shown.compactMap(resources.feedbackAnswer)
        return Response.ok(page.answer(items, next: next)).unstored()
    }
}

/// One message, for operators and in its author's export.
struct FeedbackItemAnswer: JSONRecord {
    let author: AccountID
    /// Nil if its author was erased.
    let text: String?
    let at: Instant
    let position: UInt64

    var fields: JSONFields { ["position": position, "author": author, "text": text, "createdAt": at] }
}
