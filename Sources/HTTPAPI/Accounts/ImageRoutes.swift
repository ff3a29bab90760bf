import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import Images
import Loyalty
import LoyaltyCodec
import NIOCore

/// Pictures: taken from who is signed in, shown to anyone, taken down by who shows them or an operator.
///
/// A picture that a shop or campaign has named is public and may be cached for a day, so that a removed one disappears within a day. Any
/// other picture may be a person's: only its viewer may cache it, for five minutes.
struct ImageRoutes {
    let resources: Resources

    static let path = "/v1/images"

    /// Whether a `POST` to the path has a picture as its body, which may be larger than other bodies.
    static func takesPictures(_ path: String) -> Bool { path == Self.path || path == ScanRoutes.path }

    var routes: [Route] {
        [.post(Self.path, add), .get("/v1/images/{id}", image), .delete("/v1/images/{id}", takeDown)]
    }

    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        // Taken before the first byte is read, because a slow sender holds the bytes that have arrived.
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
        // Counted, because each is an event for ever.
        try resources.imageBudget.take(bearer.account)
        let acceptance = try await resources.service.takeDownImage(
            id, asOperator: try resources.isOperator(bearer.account), by: resources.caller(bearer, key, canonical))
        return .done(at: acceptance.position)
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
            throw Problem.invalid("width", .pixels)
        }
        return ImageLimits.thumbnailWidths.first { $0 >= width }
    }
}

/// A picture that was taken in.
struct ImageAnswer: JSONWritable {
    let image: StoredImage
    /// The public address.
    let url: String

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", image.id)
            $0.field("url", url)
            $0.field("width", image.width)
            $0.field("height", image.height)
        }
    }
}

extension Response {
    /// A picture, which never changes under its address; nothing at all where the client has it already (RFC 9110, 13.1.2).
    ///
    /// One that was taken down is shown by caches for as long as they may keep it: a day of what shops show, minutes of what people do,
    /// which only their viewers' own caches keep.
    static func image(_ image: ShownImage, isPublic: Bool, to request: Request) -> Response {
        let caching =
            isPublic ? "public, max-age=\(Limits.publicImageSeconds), immutable" : "private, max-age=\(Limits.privateImageSeconds)"
        let tag = "\"\(image.tag)\""
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: caching, .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'",
        ]
        let known = request.headers[.ifNoneMatch]?.split(separator: ",").map { $0.trimmingSpaces } ?? []
        if known.contains(where: { $0 == "*" || $0 == tag || $0 == "W/" + tag }) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = image.format.contentType
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.bytes)))
    }
}

/// Checks of the images that requests name. Decisions trust the ids, so this is the only place where they are looked up.
///
/// Only the sender of a picture may name it. Otherwise another account could keep it from being taken down, or show a picture that others
/// answer for.
extension Resources {
    /// The id that a text in a request stands for.
    ///
    /// - Throws: `invalidRequest` for a text that is no image's id.
    static func image(named text: String, in field: String) throws(Problem) -> ImageID {
        guard let id = ImageID(text: text) else { throw notAnImage(field) }
        return id
    }

    /// Requires that the caller may name each of some images. A request that was answered before passes, because it gets the same answer
    /// again even if the image has gone since.
    ///
    /// - Parameter shown: the images that the field shows now. An edit may repeat them, regardless of their sender.
    /// - Throws: `invalidRequest` for an image that does not exist, that an operator took down, or that another account sent.
    func requireNameable(_ images: [ImageID], in field: String, of caller: Caller, besides shown: () throws -> [ImageID] = { [] }) throws {
        let areNameable = try images.allSatisfy { image in
            if try service.holdImage(image, by: caller.account) { return true }
            return try service.hasImage(image) && shown().contains(image)
        }
        guard try areNameable || service.isAnswered(caller) else { throw Self.notAnImage(field) }
    }

    private static func notAnImage(_ field: String) -> Problem { .invalid(field, .form(.uploadedImage)) }
}
