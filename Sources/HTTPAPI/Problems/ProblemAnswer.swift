import EventLog
import HTTPTypes
import Hummingbird
import Logging
import Loyalty
import ServiceLog
import WebPages

/// A problem by RFC 9457, in the client's language.
struct ProblemAnswer: JSONRecord {
    private static let typePrefix = "https://greentea.dev/problems/"

    let problem: Problem
    let request: Request
    let requestID: String

    private var language: PageLanguage { PageLanguage(accepting: request.headers[.acceptLanguage]) }

    var response: Response {
        var headers: HTTPFields = [
            .contentType: ContentTypes.problem, .contentLanguage: language.rawValue, .cacheControl: "no-store", .requestID: requestID,
        ]
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        if let allow = problem.allow { headers[.allow] = allow }
        if problem.removesSession { headers.removeSession() }
        if problem.endsConnection { headers[.connection] = "close" }
        if problem.code.status == .unauthorized { headers[.wwwAuthenticate] = challenge }
        return Response(status: problem.code.status, headers: headers, body: ResponseBody(byteBuffer: JSONWriter.buffer(self)))
    }

    /// RFC 6750, section 3.
    private var challenge: String { problem.code == .tokenExpired ? "Bearer error=\"invalid_token\"" : "Bearer" }

    var fields: JSONFields {
        let text = ProblemText(problem, in: language)
        let errors = problem.errors.prefix(Limits.fieldErrorsMax).map { error -> JSONFields in
            ["pointer": error.field.isEmpty ? "" : "/" + error.field, "detail": error.fault.text(in: language)]
        }
        return [
            "type": Self.typePrefix + problem.code.rawValue, "title": text.title, "status": problem.code.status.code,
            "detail": text.detail, "instance": request.uri.path, "code": problem.code.rawValue, "requestId": requestID,
            "errors": IfPresent(errors.isEmpty ? nil : errors),
        ]
    }
}

/// Turns errors into problem documents or, for people, pages; keeps caches from storing answers to a session's cookie, unless the route has
/// a rule for caches.
struct ProblemMiddleware: RouterMiddleware {
    let table: RouteTable
    /// The log whose position refusals of writes state; nil for none.
    var log: EventLog?
    var metrics: RequestMetrics?
    /// Makes the page for a problem and a request's id; nil for programs.
    var page: @Sendable (Problem, Request, String) -> Response? = { _, _, _ in nil }

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context).privateIfByCookie(request)
        } catch let failure as TransportError {
            // The client has gone, or ``ConnectionGuard`` answers. This error makes the server only close the connection.
            throw failure.underlying
        } catch let error as HTTPError where error.status == .notFound {
            return unmatched(request, context)
        } catch {
            return answer(Problem(error), to: request, context)
        }
    }

    private static let writes: Set<HTTPRequest.Method> = [.post, .put, .patch, .delete]

    private func unmatched(_ request: Request, _ context: APIContext) -> Response {
        guard let allowed = table.allowed(at: request.uri.path) else { return answer(Problem(.notFound), to: request, context) }
        if request.method == .options { return Response(status: .noContent, headers: [.allow: allowed]) }
        return answer(Problem(.methodNotAllowed, allow: allowed), to: request, context)
    }

    private func answer(_ problem: Problem, to request: Request, _ context: APIContext) -> Response {
        if let internalDetail = problem.internalDetail {
            let isAboutMessage = problem.isAboutMessage
            context.logger.report(
                isAboutMessage ? .textMessageFailed : .requestFailed, at: .error,
                isAboutMessage ? "a text message did not leave: who asked for it goes without its code" : "request failed",
                ["detail": "\(internalDetail)", "code": "\(problem.code.rawValue)"])
        }
        metrics?.count(problem.code)
        var response =
            page(problem, request, context.requestID)
            ?? ProblemAnswer(problem: problem, request: request, requestID: context.requestID).response
        // The client can then require that later answers show the log up to this position.
        if let log, Self.writes.contains(request.method) { response.headers[.greenTeaPosition] = String(log.head.rawValue) }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
