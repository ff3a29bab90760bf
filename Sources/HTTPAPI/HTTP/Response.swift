import EventLog
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer to a read.
    static func ok(_ content: some JSONWritable) -> Response {
        Response(status: .ok, headers: [.contentType: ContentTypes.json], body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    /// An answer to a write. It names the log's position, which the client can require in later reads.
    ///
    /// - Parameter location: the address of the new thing.
    static func written(
        _ status: HTTPResponse.Status, at position: Position, location: String? = nil, _ content: some JSONWritable
    ) -> Response {
        var headers: HTTPFields = [.contentType: ContentTypes.json, .greenTeaPosition: String(position.rawValue)]
        if let location { headers[.location] = location }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    /// An answer to a write without content.
    static func done(at position: Position) -> Response {
        Response(status: .noContent, headers: [.greenTeaPosition: String(position.rawValue)])
    }

    /// A file to print.
    static func sheet(_ bytes: [UInt8], named name: String, at position: Position) -> Response {
        let headers: HTTPFields = [
            .contentType: ContentTypes.pdf, .greenTeaPosition: String(position.rawValue),
            .contentDisposition: "attachment; filename=\"\(name).pdf\"",
        ]
        return Response(status: .created, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The same answer, with the version that an edit of what it shows has to name.
    func tagged(_ version: UInt64) -> Response {
        var response = self
        response.headers[.eTag] = EntityTag.text(version)
        return response
    }

    /// The same answer to a read, with the position that it shows: changes after it continue from there.
    func showing(_ position: Position) -> Response {
        var response = self
        response.headers[.greenTeaPosition] = String(position.rawValue)
        return response
    }

    /// The same answer, which no cache may keep, because it shows a token or a code.
    func unstored() -> Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

/// The media types of this API.
enum ContentTypes {
    static let json = "application/json"
    /// Sheets to print.
    static let pdf = "application/pdf"
    static let problem = "application/problem+json"
    /// Signed notes: checkpoints and receipts.
    static let note = "text/plain; charset=utf-8"
    /// Server-Sent Events.
    static let events = "text/event-stream"
    /// Tiles.
    static let bytes = "application/octet-stream"
    /// The description of this API (RFC 9512).
    static let yaml = "application/yaml"
    /// Pages for people.
    static let html = "text/html; charset=utf-8"

    /// Whether a `Content-Type` is JSON in UTF-8. Other parameters than a foreign `charset` do not matter.
    static func isJSON(_ value: String) -> Bool {
        // Recognises the usual spelling without splitting it.
        if value == json { return true }
        let parts = value.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
        guard parts.first == json else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains($0) }
    }
}

extension Substring {
    /// Without spaces and tabs at either end.
    var trimmingSpaces: Substring {
        let start = firstIndex { !$0.isHeaderSpace } ?? endIndex
        let end = lastIndex { !$0.isHeaderSpace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}

extension Character {
    fileprivate var isHeaderSpace: Bool { self == " " || self == "\t" }
}
