import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A refusal by ``ConnectionGuard``, with request id and date, counted and logged like any answer.
struct ConnectionRefusalAnswer {
    let problem: Problem
    /// Nil if it could not be read.
    let head: HTTPRequestHead?

    /// Also counts and logs the answer. The body is nil for `HEAD`.
    func parts(_ commons: ConnectionCommons) -> (head: HTTPResponseHead, body: ByteBuffer?) {
        let asked = head.flatMap { try? HTTPRequest($0, secure: false, splitCookie: false) }
        let request = Request(
            head: asked ?? HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/"), body: .init(buffer: ByteBuffer()))
        let id = RequestName.given(by: request) ?? RequestName.made()
        let answer = ProblemAnswer(problem: problem, request: request, requestID: id)
        let body = JSONWriter.buffer(answer)
        var headers = answer.response.headers
        (headers[.connection], headers[.contentLength]) = ("close", String(body.readableBytes))
        headers[.date] = Self.text(of: Date())
        if commons.isEncrypted { headers[.strictTransportSecurity] = TransportSecurityMiddleware.policy }
        let answers = commons.answers
        var logger = commons.logger
        logger[metadataKey: RequestName.metadataKey] = .string(id)
        answers.note(problem.code)
        answers.note(request.method, AnswerRecord.unread, problem.code.status, took: .zero, logger)
        let response = HTTPResponseHead(HTTPResponse(status: problem.code.status, headerFields: headers))
        return (response, request.method == .head ? nil : body)
    }

    /// RFC 9110, 5.6.7.
    static func text(of date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int?) -> String { String((number ?? 0) + 100).suffix(2).description }
        return "\(days[(parts.weekday ?? 1) - 1]), \(two(parts.day)) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 1970) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
    }
}
