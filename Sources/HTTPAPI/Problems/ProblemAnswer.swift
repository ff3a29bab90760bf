import HTTPTypes
import Hummingbird
import Loyalty

/// A problem as RFC 9457 writes it, in the language of the one who asked.
struct ProblemAnswer: JSONWritable {
    private static let typePrefix = "https://greentea.dev/problems/"

    let problem: Problem
    let request: Request
    let requestID: String

    private var language: Language { Language(accepting: request.headers[.acceptLanguage]) }

    var response: Response {
        var headers: HTTPFields = [
            .contentType: ContentTypes.problem, .contentLanguage: language.rawValue, .cacheControl: "no-store", .requestID: requestID,
        ]
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        if let allow = problem.allow { headers[.allow] = allow }
        if problem.endsConnection { headers[.connection] = "close" }
        if problem.code.status == .unauthorized { headers[.wwwAuthenticate] = challenge }
        return Response(status: problem.code.status, headers: headers, body: ResponseBody(byteBuffer: JSONWriter.buffer(self)))
    }

    /// RFC 6750, section 3.
    private var challenge: String {
        problem.code == .tokenExpired ? "Bearer error=\"invalid_token\"" : "Bearer"
    }

    func write(to json: inout JSONWriter) {
        let text = ProblemText(problem.code, in: language)
        json.object {
            $0.field("type", Self.typePrefix + problem.code.rawValue)
            $0.field("title", text.title)
            $0.field("status", problem.code.status.code)
            $0.field("detail", text.detail)
            $0.field("instance", request.uri.path)
            $0.field("code", problem.code.rawValue)
            $0.field("requestId", requestID)
            guard !problem.errors.isEmpty else { return }
            $0.array("errors", problem.errors) { json, error in
                json.object {
                    $0.field("pointer", error.field.isEmpty ? "" : "/" + error.field)
                    $0.field("detail", FieldText(error.detail, in: language).text)
                }
            }
        }
    }
}
