import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import Images
import Loyalty
import LoyaltyCodec
import NIOCore

/// Pictures: taken from who is signed in, shown to anyone, taken down by who shows them or an operator.
struct ImageRoutes {
    let resources: Resources

    static let path = "/v1/images"

    var routes: [Route] {
        [.post(Self.path, add), .get("/v1/images/{id}", image), .delete("/v1/images/{id}", takeDown)]
    }

    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        // Before the first byte is taken: whoever is slow holds what was sent so far.
        try resources.imageSlots.take(bearer.account)
        defer { resources.imageSlots.giveBack(bearer.account) }
        try resources.imageBudget.take(bearer.account)
        let bytes = try await request.bytes(atMost: ImageLimits.fileBytesMax)
        let stored = try await resources.service.addImage(bytes, by: resources.caller(bearer, key, Self.canonical(bytes)))
        let path = Self.path + "/" + stored.id.text
        let answer = ImageAnswer(image: stored, url: resources.publicURL + path)
        return .written(.created, at: resources.service.log.head, location: path, answer)
    }

    private func image(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Image.self)
        let width = try Self.width(request)
        guard let shown = try await resources.service.shownImage(id, width: width) else { throw Problem(.notFound) }
        return .image(shown.image, isPublic: shown.isPublic, to: request)
    }

    private func takeDown(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let id = try context.id(Image.self)
        var canonical = CanonicalRequest("DELETE /v1/images")
        canonical.add(id.value)
        // As many as may be sent: each is an event for ever.
        try resources.imageBudget.take(bearer.account)
        let acceptance = try await resources.service.takeDownImage(
            id, asOperator: try resources.isOperator(bearer.account), by: resources.caller(bearer, key, canonical))
        return .done(at: await resources.settled(acceptance).position)
    }

    private static func canonical(_ bytes: [UInt8]) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/images")
        request.add(bytes)
        return request
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
