import CommandService
import Composition
import HTTPTypes
import Hummingbird
import Images

/// The route that reads the code in a photo, for the scan page in browsers that cannot read codes themselves.
///
/// The photo is decoded in a child process, like every picture, and is not stored. A photo may show any code. So the scan page checks the
/// text of the code, and uses it only if it is a link or a code of this service.
struct ScanRoutes {
    static let path = "/scan"

    let resources: Resources

    var routes: [Route] { [.post(Self.path, scan)] }

    private func scan(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        // The slot is taken before the first byte is read, because a slow sender keeps its received bytes in memory.
        let slot = try resources.slots.pictures.take()
        defer { slot.giveBack() }
        try resources.budgets[.scans].take(bearer.account)
        let photo = try await request.bytes(atMost: ImageLimits.fileBytesMax)
        var response = Response.ok(ScannedText(text: try await resources.service.images.code(in: photo)))
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

/// The content of a code in a photo.
struct ScannedText: JSONWritable {
    /// The text; nil if no code was found.
    let text: String?

    func write(to json: inout JSONWriter) {
        json.object { if let text { $0.field("text", text) } else { $0.null("text") } }
    }
}
