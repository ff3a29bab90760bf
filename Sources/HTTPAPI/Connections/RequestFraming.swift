import HummingbirdCore
import Images
import NIOHTTP1

/// The parts of a request's head that concern the connection, checked before any route sees the request (RFC 9112).
///
/// NIO's decoder refuses most ambiguous requests: those with both a length and chunks, with several lengths, with folded fields, with a
/// space before a colon, or with an unknown HTTP version. This type checks the rest.
struct RequestFraming {
    let head: HTTPRequestHead

    init(_ head: HTTPRequestHead) { self.head = head }

    /// Whether the request must be refused, because a proxy before this service might have read it differently.
    var isFaulty: Bool { !hasRightHost || !hasKnownCoding || !hasCountableLength }

    /// RFC 9112, 3.2: there must be exactly one `Host`, with only the characters that a host may have. HTTP/1.0 may omit it.
    private var hasRightHost: Bool {
        let hosts = head.headers["host"]
        guard hosts.count == 1 else { return hosts.isEmpty && isOld }
        return hosts[0].utf8.allSatisfy(Self.isOfHost)
    }

    /// RFC 9112, 6.1: `chunked` is the only transfer coding that this service knows, and HTTP/1.0 may use none.
    private var hasKnownCoding: Bool {
        let codings = head.headers["transfer-encoding"]
        return codings.isEmpty || !isOld && codings.count == 1 && codings[0].lowercased() == "chunked"
    }

    /// RFC 9110, 8.6: the declared length must fit in 63 bits. The decoder accepts lengths of 64 bits, and the service would then wait for
    /// such a body before it checks any limit.
    private var hasCountableLength: Bool { head.headers["content-length"].allSatisfy { Int($0) != nil } }

    /// Whether the request is in HTTP/1.0.
    var isOld: Bool { head.version == .http1_0 }

    /// Whether nothing may follow this request on its connection. After an `Upgrade` or a `CONNECT` the decoder reads no further.
    var isLast: Bool { isOld || !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade") }

    /// The pool of the `BodyBudget` from which the bytes of the request's body are taken. It depends on the path that the router uses, even
    /// if the request line has an absolute address. Otherwise an upload under another spelling of its path would fill the ordinary pool.
    var pool: BodyBudget.Pool {
        head.method == .POST && ImageRoutes.takesPictures(URI(head.uri).path) ? .pictures : .ordinary
    }

    /// Whether the client waits for permission before it sends its body (RFC 9110, 10.1.1), and may get the permission. This is false if
    /// the declared length is too large: the client then gets the refusal instead.
    var awaitsWord: Bool {
        guard !isOld, head.headers.first(name: "expect")?.lowercased() == "100-continue" else { return false }
        let most = pool == .pictures ? ImageLimits.fileBytesMax : Limits.bodyBytesMax
        return head.headers.first(name: "content-length").flatMap { Int($0) }.map { $0 <= most } ?? true
    }

    /// Whether a byte may occur in the value of `Host`: a registered name or an address in brackets, and a port (RFC 3986, 3.2.2).
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:[]%".utf8.contains(byte)
        }
    }
}
