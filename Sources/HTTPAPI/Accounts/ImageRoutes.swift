import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Images
import Loyalty
import LoyaltyCodec
import NIOCore

/// A picture that a shop or campaign names may be cached for a day; any other may show a person and stays in the viewer's own cache for
/// five minutes.
struct ImageRoutes: RouteGroup {
    let resources: Resources

    static let path = "/v1/images"

    /// The paths whose `POST` bodies are pictures.
    private static let picturePaths = [path, ScanRoutes.path].map { $0.split(separator: "/") }

    /// Whether a `POST` to the path may have a picture's size. Reads the path like the router, which ignores additional slashes.
    static func takesPictures(_ path: String) -> Bool { picturePaths.contains(path.split(separator: "/")) }

    var routes: [Route] { [.post(Self.path, add), .get("/v1/images/{id}", image), .delete("/v1/images/{id}", takeDown)] }

    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        // Taken before the first byte, because a slow upload keeps its bytes in memory.
        let slot = try resources.slots.pictures.take()
        defer { slot.giveBack() }
        try resources.budgets[.pictures].take(write.account)
        let bytes = try await request.bytes(atMost: ImageLimits.fileBytesMax)
        let caller = write.caller(Self.canonical(bytes))
        // The key is remembered only after the picture is stored.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        let isReplay = try resources.service.isAnswered(caller)
        let stored = try await resources.service.addImage(bytes, by: caller)
        let path = Self.path + "/" + stored.id.text
        let answer: JSONFields = [
            "id": stored.id, "url": resources.publicURL + path, "width": stored.width, "height": stored.height,
        ]
        return .written(.created, at: resources.service.log.head, isReplay: isReplay, location: path, answer)
    }

    private func image(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Image.self)
        let width = try Self.width(request)
        guard let shown = try await resources.service.shownImage(id, width: width) else { throw Problem(.notFound) }
        return try .image(shown.image, isPublic: shown.isPublic, to: request) { try body(of: shown.image, to: request, context) }
    }

    /// A picture's bytes, read piece by piece as the client reads; `Response.inPieces(on:)` bounds the pieces in memory. The file stays
    /// open, so that the answer is complete even if the picture is removed. Files beyond a limit are opened for each piece, because
    /// connections take nearly all descriptors; such an answer breaks off on removal.
    private func body(of image: ShownImage, to request: Request, _ context: APIContext) throws -> ResponseBody {
        let count = image.count
        // Most thumbnails are short.
        guard count > Limits.answerPieceBytes else { return ResponseBody(byteBuffer: ByteBuffer(bytes: try image.bytes(in: 0..<count))) }
        let slot = try? resources.slots.pictureFiles.take()
        let source = slot == nil ? image.closed() : image
        return ResponseBody(contentLength: count) { writer in
            for start in stride(from: 0, to: count, by: Limits.answerPieceBytes) {
                let end = min(start + Limits.answerPieceBytes, count)
                try await writer.write(ByteBuffer(bytes: try source.bytes(in: start..<end)))
            }
            try await writer.finish(nil)
            withExtendedLifetime(slot) {}
        }
    }

    private func takeDown(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Image.self)
        try resources.budgets[.pictures].take(write.account)
        let isOperator = try resources.isOperator(write.account)
        return .done(try await resources.service.takeDownImage(id, asOperator: isOperator, by: write.caller("DELETE /v1/images", id)))
    }

    private static func canonical(_ bytes: [UInt8]) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/images")
        request.add(bytes)
        return request
    }

    /// The smallest thumbnail width that suffices; nil for the picture itself.
    private static func width(_ request: Request) throws -> Int? {
        let width = try request.parameter("width", .pixels) { text in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text).flatMap { $0 > 0 ? $0 : nil } : nil
        }
        return width.flatMap { width in ImageLimits.thumbnailWidths.first { $0 >= width } }
    }
}

extension Response {
    /// The picture, or 304 if the client has it (RFC 9110, 13.1.2): it never changes under its address.
    static func image(_ image: ShownImage, isPublic: Bool, to request: Request, body: () throws -> ResponseBody) rethrows -> Response {
        let caching =
            isPublic ? "public, max-age=\(Limits.publicImageSeconds), immutable" : "private, max-age=\(Limits.privateImageSeconds)"
        let tag = "\"\(image.tag)\""
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: caching, .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'",
        ]
        if EntityTag.isKnown(tag, by: request) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = image.format.contentType
        return Response(status: .ok, headers: headers, body: try body())
    }
}

/// Checks the images that requests name, because the decisions trust their ids. Only a picture's uploader may name it: another account
/// could otherwise show it, and keep the uploader from taking it down.
extension Resources {
    /// - Throws: `invalidRequest` for a text that is not an image's id.
    static func image(named text: String, in field: String) throws(Problem) -> ImageID {
        guard let id = ImageID(text: text) else { throw notAnImage(field) }
        return id
    }

    /// Requires that the caller may name each image. The retry of an answered request passes, even if an image no longer exists.
    ///
    /// - Parameter shown: the field's present images, which an edit may repeat regardless of their uploader.
    /// - Throws: `invalidRequest` for an image that does not exist, that an operator took down, or that another account uploaded.
    func requireNameable(
        _ images: [ImageID], in field: String, of caller: Caller, besides shown: () throws -> [ImageID] = { [] }
    ) async throws {
        var areNameable = true
        for image in images where areNameable {
            areNameable = try await service.holdImage(image, by: caller.account)
            if !areNameable { areNameable = try service.hasImage(image) && shown().contains(image) }
        }
        guard try areNameable || service.isAnswered(caller) else { throw Self.notAnImage(field) }
    }

    private static func notAnImage(_ field: String) -> Problem { .invalid(field, .form(.uploadedImage)) }
}

/// Reads the code in a photo, for browsers that cannot. The photo is decoded in a child process and not stored. The scan page uses the text
/// only if it is a link or code of this service.
struct ScanRoutes: RouteGroup {
    static let path = "/scan"

    let resources: Resources

    var routes: [Route] { [.post(Self.path, scan)] }

    private func scan(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let slot = try resources.slots.pictures.take()
        defer { slot.giveBack() }
        try resources.budgets[.scans].take(bearer.account)
        let photo = try await request.bytes(atMost: ImageLimits.fileBytesMax)
        // Null if no code was found.
        return Response.ok(["text": try await resources.service.images.code(in: photo)] as JSONFields).unstored()
    }
}
