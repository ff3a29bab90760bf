import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    static func ok(_ content: some JSONWritable) -> Response {
        Response(status: .ok, headers: [.contentType: ContentTypes.json], body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    /// With `ETag`, or 304 if the client has exactly this answer. A cache must not send it to a reader who requires a later position.
    static func ok(_ content: some JSONWritable, version: UInt64, to request: Request) -> Response {
        let body = JSONWriter.buffer(content)
        let tag = EntityTag.text(version, of: body)
        var headers: HTTPFields = [.eTag: tag, .vary: HTTPField.Name.greenTeaMinPosition.rawName]
        guard !EntityTag.isKnown(tag, by: request) else { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = ContentTypes.json
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// An answer to a write, with a position that includes it.
    ///
    /// - Parameter location: the address of the new thing.
    static func written(
        _ status: HTTPResponse.Status, for acceptance: Acceptance, location: String? = nil, _ content: some JSONWritable
    ) -> Response {
        written(status, at: acceptance.position, isReplay: acceptance.isReplay, location: location, content)
    }

    static func written(
        _ status: HTTPResponse.Status, at position: Position, isReplay: Bool, location: String? = nil, _ content: some JSONWritable
    ) -> Response {
        var headers = HTTPFields(writtenAt: position, isReplay: isReplay)
        headers[.contentType] = ContentTypes.json
        if let location { headers[.location] = location }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    static func done(_ acceptance: Acceptance) -> Response {
        Response(status: .noContent, headers: HTTPFields(writtenAt: acceptance.position, isReplay: acceptance.isReplay))
    }

    static func sheet(_ bytes: [UInt8], named name: String, for acceptance: Acceptance) -> Response {
        var headers = HTTPFields(writtenAt: acceptance.position, isReplay: acceptance.isReplay)
        headers[.contentType] = ContentTypes.pdf
        headers[.contentDisposition] = "attachment; filename=\"\(name).pdf\""
        return Response(status: .created, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Adds the `ETag` that a later edit names.
    func tagged(_ version: UInt64) -> Response { with(.eTag, EntityTag.text(version)) }

    /// Adds the position up to which this read shows every event.
    func showing(_ position: Position) -> Response { with(.greenTeaPosition, String(position.rawValue)) }

    /// Keeps the answer out of caches.
    func unstored() -> Response { with(.cacheControl, "no-store") }

    func with(_ name: HTTPField.Name, _ value: String) -> Response {
        var response = self
        response.headers[name] = value
        return response
    }
}

extension HTTPFields {
    /// The headers of every answer to a write.
    fileprivate init(writtenAt position: Position, isReplay: Bool) {
        self = [.greenTeaPosition: String(position.rawValue)]
        if isReplay { self[.idempotencyReplayed] = "true" }
    }
}

/// The media types of this API.
enum ContentTypes {
    static let json = "application/json"
    static let pdf = "application/pdf"
    static let problem = "application/problem+json"
    /// Signed notes: checkpoints and receipts.
    static let note = "text/plain; charset=utf-8"
    static let events = "text/event-stream"
    /// Tiles of the Merkle tree.
    static let bytes = "application/octet-stream"
    /// RFC 9512.
    static let yaml = "application/yaml"
    static let html = "text/html; charset=utf-8"

    /// JSON in UTF-8; other parameters than `charset` are ignored.
    static func isJSON(_ value: String) -> Bool {
        // The usual spelling, without splitting the text.
        if value == json { return true }
        let parts = value.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
        guard parts.first == json else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains($0) }
    }
}

extension Substring {
    var trimmingSpaces: Substring {
        let start = firstIndex { !$0.isHeaderSpace } ?? endIndex
        let end = lastIndex { !$0.isHeaderSpace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}

extension Character {
    fileprivate var isHeaderSpace: Bool { self == " " || self == "\t" }
}
