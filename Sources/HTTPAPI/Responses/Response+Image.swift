import HTTPTypes
import Hummingbird
import Images
import NIOCore

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
