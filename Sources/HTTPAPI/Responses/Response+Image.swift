import HTTPTypes
import Hummingbird
import Images
import NIOCore

extension Response {
    /// A picture, which never changes under its address; nothing at all where the client has it already (RFC 9110, 13.1.2).
    static func image(_ image: ShownImage, to request: Request) -> Response {
        let tag = "\"\(image.tag)\""
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: "public, max-age=31536000, immutable", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'",
        ]
        let known = request.headers[.ifNoneMatch]?.split(separator: ",").map { $0.trimmingSpaces } ?? []
        if known.contains(where: { $0 == "*" || $0 == tag || $0 == "W/" + tag }) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = image.format.contentType
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.bytes)))
    }
}
