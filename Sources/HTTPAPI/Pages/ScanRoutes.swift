import CommandService
import Composition
import HTTPTypes
import Hummingbird
import Images

/// Reads the code in a photo, for browsers that cannot. The photo is decoded in a child process and not stored. The scan page uses the text
/// only if it is a link or code of this service.
struct ScanRoutes: RouteGroup {
    static let path = "/scan"

    let resources: Resources

    var routes: [Route] { [.post(Self.path, scan)] }

    private func scan(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        // Taken before the first byte, because a slow sender keeps its bytes in memory.
        let slot = try resources.slots.pictures.take()
        defer { slot.giveBack() }
        try resources.budgets[.scans].take(bearer.account)
        let photo = try await request.bytes(atMost: ImageLimits.fileBytesMax)
        // Null if no code was found.
        return Response.ok(["text": try await resources.service.images.code(in: photo)] as JSONFields).unstored()
    }
}
