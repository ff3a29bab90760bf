import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A checkpoint or a receipt: text that is signed, byte for byte.
    ///
    /// - Parameter caching: who may keep it, and for how long.
    static func note(_ bytes: [UInt8], caching: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: ContentTypes.note, .cacheControl: caching],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A tile, which never changes.
    static func tile(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: ContentTypes.bytes, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
