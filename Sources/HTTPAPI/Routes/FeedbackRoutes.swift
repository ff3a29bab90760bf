import CommandService
import Hummingbird
import Loyalty

/// What people tell the operator.
struct FeedbackRoutes {
    let resources: Resources

    var routes: [Route] { [.post("/v1/feedback", give)] }

    private func give(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let body = try await request.json(FeedbackRequest.self)
        try Limits.feedbackText.check(body.text, "text")
        try resources.feedbackBudget.check(bearer.account)
        var canonical = CanonicalRequest("POST /v1/feedback")
        canonical.add(body.text)
        let acceptance = try await resources.service.giveFeedback(body.text, by: resources.caller(bearer, key, canonical))
        guard let fact = acceptance.facts.last else { throw Resources.missingFact(acceptance) }
        // Nobody answers feedback, so that nothing but this keeps a program from filling the log with it.
        if !acceptance.isReplay { resources.feedbackBudget.count(bearer.account) }
        return .written(.accepted, at: acceptance.position, FeedbackAnswer(receivedAt: fact.time))
    }
}
