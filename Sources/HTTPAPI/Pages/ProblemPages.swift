import HTTPTypes
import Hummingbird
import WebPages

/// Pages that show a problem to people. Programs get `application/problem+json`; see ``ProblemAnswer``.
extension Resources {
    /// The page that shows a problem. Nil if a program sent the request, or if the request's address is below `/v1`, which only programs
    /// request.
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
    /// A title and a sentence for people. The API's own sentence is shown only if it suits people, because some of the API's sentences are
    /// for programmers, for example because they name headers.
    func text(in language: PageLanguage) -> (title: String, detail: String) {
        let text = ProblemText(self, in: language == .english ? .english : .chinese)
        return (text.title, WebPage.sentence(of: rawValue, in: language) ?? text.detail)
    }
}

extension Request {
    /// Whether a browser requests a page: its `Accept` header names HTML. Programs name JSON, or accept anything.
    var isForPeople: Bool {
        for range in (headers[.accept] ?? "").lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map(\.trimmingSpaces)
            if parts.first == "text/html" { return !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" } }
        }
        return false
    }
}
