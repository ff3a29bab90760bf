import HummingbirdCore
import Images
import NIOHTTP1
import Nodes

/// The connection's part of a request's head, checked by RFC 9112. NIO's decoder refuses most ambiguous requests: length and chunks,
/// several lengths, folded fields, space before a colon, unknown versions. This type checks the rest.
struct RequestFraming {
    let head: HTTPRequestHead

    init(_ head: HTTPRequestHead) { self.head = head }

    /// A proxy might have read the request differently.
    var isFaulty: Bool { !hasRightHost || !hasKnownCoding || !hasCountableLength }

    /// RFC 9112, 3.2: exactly one valid `Host`. HTTP/1.0 may omit it.
    private var hasRightHost: Bool {
        let hosts = head.headers["host"]
        guard hosts.count == 1 else { return hosts.isEmpty && isOld }
        return hosts[0].utf8.allSatisfy(Self.isOfHost)
    }

    /// RFC 9112, 6.1: only `chunked`, and none in HTTP/1.0.
    private var hasKnownCoding: Bool {
        let codings = head.headers["transfer-encoding"]
        return codings.isEmpty || !isOld && codings.count == 1 && codings[0].lowercased() == "chunked"
    }

    /// RFC 9110, 8.6, in 63 bits: the decoder accepts 64, and the service would wait for such a body before it checks any limit.
    private var hasCountableLength: Bool { head.headers["content-length"].allSatisfy { Int($0) != nil } }

    var isOld: Bool { head.version == .http1_0 }

    /// After an `Upgrade` or `CONNECT`, the decoder reads no further.
    var isLast: Bool { isOld || !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade") }

    /// Depends on the path that the router uses, or an upload under another spelling would fill the ordinary pool.
    var pool: BodyBudget.Pool {
        let path = URI(head.uri).path
        return head.method == .POST && (ImageRoutes.takesPictures(path) || path.hasPrefix(NodePaths.pictures)) ? .pictures : .ordinary
    }

    /// Whether the client gets 100 Continue (RFC 9110, 10.1.1). If the declared length is too large, it gets the refusal instead.
    var awaitsWord: Bool {
        guard !isOld, head.headers.first(name: "expect")?.lowercased() == "100-continue" else { return false }
        let most = pool == .pictures ? ImageLimits.fileBytesMax : Limits.bodyBytesMax
        return head.headers.first(name: "content-length").flatMap { Int($0) }.map { $0 <= most } ?? true
    }

    /// RFC 3986, 3.2.2.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:[]%".utf8.contains(byte)
        }
    }
}
