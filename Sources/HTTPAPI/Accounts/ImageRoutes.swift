import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Images
import Loyalty
import LoyaltyCodec
import NIOCore

/// The routes of pictures, which signed-in accounts upload, anyone may see, and the uploading account or an operator may take down.
///
/// A picture that a shop or campaign has named is public and may be cached for a day, so a removed picture disappears from caches within a
/// day. Any other picture may show a private person: only the viewer's own cache may keep it, for five minutes.
struct ImageRoutes {
    let resources: Resources

    static let path = "/v1/images"

    /// The segments of the paths to which a `POST` has a picture as its body.
    private static let picturePaths = [path, ScanRoutes.path].map { $0.split(separator: "/") }

    /// Whether a `POST` to the path has a picture as its body, which may be larger than other bodies. Reads the path like the router, which
    /// ignores additional slashes.
    static func takesPictures(_ path: String) -> Bool { picturePaths.contains(path.split(separator: "/")) }

    var routes: [Route] {
        [.post(Self.path, add), .get("/v1/images/{id}", image), .delete("/v1/images/{id}", takeDown)]
    }

    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        // The slot is taken before the first byte is read, because a slow upload keeps its received bytes in memory.
        let slot = try resources.slots.pictures.take()
        defer { slot.giveBack() }
        try resources.budgets[.pictures].take(write.account)
        let bytes = try await request.bytes(atMost: ImageLimits.fileBytesMax)
        let caller = write.caller(Self.canonical(bytes))
        // A request with the same key waits while this one runs, because the key is remembered only after the picture is stored.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        let isReplay = try resources.service.isAnswered(caller)
        let stored = try await resources.service.addImage(bytes, by: caller)
        let path = Self.path + "/" + stored.id.text
        let answer = ImageAnswer(image: stored, url: resources.publicURL + path)
        return .written(.created, at: resources.service.log.head, isReplay: isReplay, location: path, answer)
    }

    private func image(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Image.self)
        let width = try Self.width(request)
        guard let shown = try await resources.service.shownImage(id, width: width) else { throw Problem(.notFound) }
        return try .image(shown.image, isPublic: shown.isPublic, to: request) { try body(of: shown.image, to: request, context) }
    }

    /// The bytes of a picture.
    ///
    /// A long picture is read piece by piece, as the client reads it; ``PieceMiddleware`` bounds the pieces in memory. Its file stays open
    /// until the answer is sent or the client has gone, so that the answer is complete even if the picture is removed meanwhile. Only a
    /// limited number of files stay open, because connections take nearly all descriptors; see ``ConnectionCaps``. Beyond that number, the
    /// file is opened for each piece, so the answer breaks off if the picture is removed.
    private func body(of image: ShownImage, to request: Request, _ context: APIContext) throws -> ResponseBody {
        let count = image.count
        // A short picture is read at once. Most thumbnails are short.
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
        // A take-down also uses up the account's budget of pictures, because each take-down adds a permanent event.
        try resources.budgets[.pictures].take(write.account)
        let isOperator = try resources.isOperator(write.account)
        return .done(try await resources.service.takeDownImage(id, asOperator: isOperator, by: write.caller("DELETE /v1/images", id)))
    }

    private static func canonical(_ bytes: [UInt8]) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/images")
        request.add(bytes)
        return request
    }

    /// The smallest width of a thumbnail that is at least the requested width; nil for the picture itself.
    private static func width(_ request: Request) throws -> Int? {
        guard let text = request.uri.queryParameters["width"] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let width = Int(text), width > 0 else {
            throw Problem.invalid("width", .pixels)
        }
        return ImageLimits.thumbnailWidths.first { $0 >= width }
    }
}

/// The answer to an upload: the stored picture and its address.
struct ImageAnswer: JSONObject {
    let image: StoredImage
    /// The public address of the picture.
    let url: String

    func writeFields(to json: inout JSONWriter) {
        json.field("id", image.id)
        json.field("url", url)
        json.field("width", image.width)
        json.field("height", image.height)
    }
}

extension Response {
    /// The answer with a picture, or 304 without content if the client has the picture already (RFC 9110, 13.1.2). A picture never changes
    /// under its address.
    ///
    /// Caches may show a removed picture for as long as they may keep it: a day if a shop or campaign has named it, otherwise five minutes
    /// and only in the viewer's own cache.
    ///
    /// - Parameter body: makes the body with the picture's bytes.
    static func image(
        _ image: ShownImage, isPublic: Bool, to request: Request, body: () throws -> ResponseBody
    ) rethrows -> Response {
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

/// Checks the images that requests name. The decisions about commands trust the ids of images, so the ids are looked up only here.
///
/// Only the uploader of a picture may name it. Otherwise another account could show a picture for which the uploader is responsible, and
/// could keep the uploader from taking the picture down.
extension Resources {
    /// The image id in a request's text.
    ///
    /// - Throws: `invalidRequest` for a text that is not the id of an image.
    static func image(named text: String, in field: String) throws(Problem) -> ImageID {
        guard let id = ImageID(text: text) else { throw notAnImage(field) }
        return id
    }

    /// Requires that the caller may name each of the images. The retry of an answered request passes, because it gets the same answer even
    /// if an image no longer exists.
    ///
    /// - Parameter shown: the images that the field shows now. An edit may repeat them, regardless of their uploader.
    /// - Throws: `invalidRequest` for an image that does not exist, that an operator took down, or that another account uploaded.
    func requireNameable(_ images: [ImageID], in field: String, of caller: Caller, besides shown: () throws -> [ImageID] = { [] }) throws {
        let areNameable = try images.allSatisfy { image in
            if try service.holdImage(image, by: caller.account) { return true }
            return try service.hasImage(image) && shown().contains(image)
        }
        guard try areNameable || service.isAnswered(caller) else { throw Self.notAnImage(field) }
    }

    private static func notAnImage(_ field: String) -> Problem { .invalid(field, .form(.uploadedImage)) }
}
