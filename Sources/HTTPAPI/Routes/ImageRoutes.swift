import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import Images
import Loyalty
import LoyaltyCodec
import NIOCore

/// Pictures: taken from who is signed in, shown to anyone.
struct ImageRoutes {
    let resources: Resources

    var routes: [Route] {
        [.post("/v1/images", add), .get("/v1/images/{id}", image)]
    }

    /// The same picture again is the same answer again, so an `Idempotency-Key` is checked and needs no memory.
    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        _ = try IdempotencyKey(optionalIn: request)
        try resources.imageBudget.take(bearer.account)
        let bytes = try await request.bytes(atMost: ImageLimits.fileBytesMax)
        let stored = try await resources.service.addImage(bytes)
        let path = "/v1/images/" + stored.id.text
        let answer = ImageAnswer(image: stored, url: resources.configuration.publicURL + path)
        return .written(.created, at: resources.service.log.head, location: path, answer)
    }

    private func image(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Image.self)
        let width = try Self.width(request)
        guard let shown = try await resources.service.images.image(id, width: width) else { throw Problem(.notFound) }
        return .image(shown, to: request)
    }

    /// The width of the thumbnail that is at least as wide as was asked for; nil for the picture itself.
    private static func width(_ request: Request) throws -> Int? {
        guard let text = request.uri.queryParameters["width"] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let width = Int(text), width > 0 else {
            throw Problem.invalid("width", "must be a number of pixels")
        }
        return ImageLimits.thumbnailWidths.first { $0 >= width }
    }
}
