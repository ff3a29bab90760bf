import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer to a read.
    static func ok(_ content: some JSONWritable) -> Response {
        Response(status: .ok, headers: [.contentType: ContentTypes.json], body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    /// An answer to a read of an editable thing, or 304 if the client has exactly this answer.
    static func ok(_ content: some JSONWritable, version: UInt64, to request: Request) -> Response {
        let body = JSONWriter.buffer(content)
        let tag = EntityTag.text(version, of: body)
        guard !EntityTag.isKnown(tag, by: request) else { return Response(status: .notModified, headers: [.eTag: tag]) }
        return Response(
            status: .ok, headers: [.contentType: ContentTypes.json, .eTag: tag], body: ResponseBody(byteBuffer: body))
    }

    /// An answer to a write. Its header has a position of the log that includes the write, which the client can require in later reads.
    ///
    /// - Parameter location: the address of the new thing.
    static func written(
        _ status: HTTPResponse.Status, for acceptance: Acceptance, location: String? = nil, _ content: some JSONWritable
    ) -> Response {
        written(status, at: acceptance.position, isReplay: acceptance.isReplay, location: location, content)
    }

    /// An answer to a write that the log alone does not decide.
    static func written(
        _ status: HTTPResponse.Status, at position: Position, isReplay: Bool, location: String? = nil, _ content: some JSONWritable
    ) -> Response {
        var headers = HTTPFields(writtenAt: position, isReplay: isReplay)
        headers[.contentType] = ContentTypes.json
        if let location { headers[.location] = location }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    /// An answer without content to a write.
    static func done(_ acceptance: Acceptance) -> Response {
        Response(status: .noContent, headers: HTTPFields(writtenAt: acceptance.position, isReplay: acceptance.isReplay))
    }

    /// A PDF file to print.
    static func sheet(_ bytes: [UInt8], named name: String, for acceptance: Acceptance) -> Response {
        var headers = HTTPFields(writtenAt: acceptance.position, isReplay: acceptance.isReplay)
        headers[.contentType] = ContentTypes.pdf
        headers[.contentDisposition] = "attachment; filename=\"\(name).pdf\""
        return Response(status: .created, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// This answer to a write with an `ETag`: the version of the thing that it shows. A later edit names this version, or any version.
    func tagged(_ version: UInt64) -> Response {
        var response = self
        response.headers[.eTag] = EntityTag.text(version)
        return response
    }

    /// This answer to a read, with a position of the log up to which it shows every event. `GET /me/changes` can continue from this
    /// position.
    func showing(_ position: Position) -> Response {
        var response = self
        response.headers[.greenTeaPosition] = String(position.rawValue)
        return response
    }

    /// This answer, marked so that no cache keeps it, for example because it shows a token, a code or private data.
    func unstored() -> Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

extension HTTPFields {
    /// The headers of every answer to a write: a position that includes it, and whether the answer repeats an earlier one.
    fileprivate init(writtenAt position: Position, isReplay: Bool) {
        self = [.greenTeaPosition: String(position.rawValue)]
        if isReplay { self[.idempotencyReplayed] = "true" }
    }
}

/// The media types of this API.
enum ContentTypes {
    static let json = "application/json"
    /// The media type of sheets of paper cards.
    static let pdf = "application/pdf"
    static let problem = "application/problem+json"
    /// The media type of signed notes: checkpoints and receipts.
    static let note = "text/plain; charset=utf-8"
    /// The media type of Server-Sent Events.
    static let events = "text/event-stream"
    /// The media type of the Merkle tree's tiles.
    static let bytes = "application/octet-stream"
    /// The media type of this API's description (RFC 9512).
    static let yaml = "application/yaml"
    /// The media type of pages for people.
    static let html = "text/html; charset=utf-8"

    /// Whether a `Content-Type` is JSON in UTF-8. Parameters are ignored, except a `charset` other than UTF-8.
    static func isJSON(_ value: String) -> Bool {
        // The usual spelling is accepted without splitting the text, which is faster.
        if value == json { return true }
        let parts = value.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
        guard parts.first == json else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains($0) }
    }
}

extension Substring {
    /// The text without spaces and tabs at either end.
    var trimmingSpaces: Substring {
        let start = firstIndex { !$0.isHeaderSpace } ?? endIndex
        let end = lastIndex { !$0.isHeaderSpace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}

extension Character {
    fileprivate var isHeaderSpace: Bool { self == " " || self == "\t" }
}
