import EventLog
import HTTPTypes
import Hummingbird

extension Response {
    /// An answer to a read.
    static func ok(_ content: some JSONWritable) -> Response {
        Response(status: .ok, headers: [.contentType: ContentTypes.json], body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    /// An answer to a write: it says how far the log had come, so that the client can ask for no less.
    ///
    /// - Parameter location: where what was made can be seen.
    static func written(
        _ status: HTTPResponse.Status, at position: Position, location: String? = nil, _ content: some JSONWritable
    ) -> Response {
        var headers: HTTPFields = [.contentType: ContentTypes.json, .greenTeaPosition: String(position.rawValue)]
        if let location { headers[.location] = location }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: JSONWriter.buffer(content)))
    }

    /// An answer to a write that leaves nothing to show.
    static func done(at position: Position) -> Response {
        Response(status: .noContent, headers: [.greenTeaPosition: String(position.rawValue)])
    }

    /// The same answer, with the version that an edit of what it shows has to name.
    func tagged(_ version: UInt64) -> Response {
        var response = self
        response.headers[.eTag] = EntityTag.text(version)
        return response
    }

    /// The same answer, which nobody on the way may keep: it shows a token or a code.
    func unstored() -> Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
