import HTTPTypes
import Hummingbird
import WebPages

/// Pages that show a problem to people; for programs, see ``ProblemAnswer``.
extension Resources {
    /// Nil for programs, which alone request `/v1`.
    func page(of problem: Problem, for request: Request, id: String) -> Response? {
        guard request.isForPeople, !request.uri.path.hasPrefix("/v1/") else { return nil }
        let frame = frame(of: request)
        let text = problem.code.text(in: frame.language)
        var response = Response.page(
            .problem(status: problem.code.status.code, title: text.title, detail: text.detail, requestID: id, in: frame), .secret,
            status: problem.code.status)
        response.headers[.requestID] = id
        if let seconds = problem.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        if let allow = problem.allow { response.headers[.allow] = allow }
        if problem.endsConnection { response.headers[.connection] = "close" }
        return response
    }
}

extension ProblemCode {
    /// The API's own sentence only if it suits people: some name headers.
    func text(in language: PageLanguage) -> (title: String, detail: String) {
        let text = ProblemText(self, in: language)
        return (text.title, WebPage.sentence(of: rawValue, in: language) ?? text.detail)
    }
}

extension Request {
    /// `Accept` names HTML. Programs name JSON, or accept anything.
    var isForPeople: Bool {
        for range in (headers[.accept] ?? "").lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map(\.trimmingSpaces)
            if parts.first == "text/html" { return !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" } }
        }
        return false
    }
}
