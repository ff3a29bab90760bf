import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of feedback to the operator.
struct FeedbackRoutes {
    let resources: Resources

    var routes: [Route] { [.post("/v1/feedback", give), .get("/v1/admin/feedback", list)] }

    private func give(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let text = try await request.json(FeedbackRequest.self).text
        try Limits.feedbackText.check(text, "text")
        let caller = write.caller("POST /v1/feedback", text)
        let acceptance = try await resources.counted(.feedback, by: caller) {
            try await resources.service.giveFeedback(text, by: caller)
        }
        guard let fact = acceptance.facts.last else { throw Resources.missingFact(acceptance) }
        return .written(.accepted, for: acceptance, FeedbackAnswer(receivedAt: fact.time))
    }

    /// Lists feedback for operators, newest first, with its texts decrypted. The text of an erased author is null.
    private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try await resources.gate.admitOperator(request)
        let page = try PageRequest(request)
        let before = try page.place(in: Self.listName, by: resources.signing.cursors)
        try await resources.awaitPosition(of: request)
        // One item more than requested shows whether there is a next page.
        let found = try await resources.service.feedback(before: before, limit: page.limit + 1)
        let shown = found.prefix(page.limit)
        let next = found.count > page.limit ? shown.last.map { Position($0.position) } : nil
        let items = try shown.compactMap(resources.feedbackAnswer)
        return Response.ok(Page(items: items, next: next.map { resources.signing.cursors.text($0, in: Self.listName) })).unstored()
    }

    /// The name of the list of feedback. A cursor is valid only for the list whose name it was made with.
    private static let listName = "feedback"
}

/// The body of `POST /feedback`.
struct FeedbackRequest: JSONReadable {
    let text: String

    init(_ fields: inout FieldReader) {
        text = fields.string("text")
    }
}

/// The answer to feedback: the time at which it was stored.
struct FeedbackAnswer: JSONWritable {
    let receivedAt: Instant

    func write(to json: inout JSONWriter) {
        json.object { $0.field("receivedAt", receivedAt) }
    }
}

/// One message of feedback, in the list for operators and in the export of its author.
struct FeedbackItemAnswer: JSONObject {
    let author: AccountID
    /// The message; `nil` if its author was erased.
    let text: String?
    let at: Instant
    /// The position of the feedback's event in the log.
    let position: UInt64

    func writeFields(to json: inout JSONWriter) {
        json.field("position", position)
        json.field("author", author)
        json.field("text", text)
        json.field("createdAt", at)
    }
}
