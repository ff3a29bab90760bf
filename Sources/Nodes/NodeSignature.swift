internal import Crypto
internal import Foundation
internal import Merkle
internal import Synchronization

/// Signs the requests of one node to another node of the same log, and verifies them.
///
/// The header is `1,MILLISECONDS,NONCE,DIGEST,CLIENT,CODE`: the time since 1970, 128 random bits, the SHA-256 of the body, the address of
/// the client for whom the request is sent (`-` if there is none), and an HMAC-SHA256 over all of these, the method, the path with its
/// query, and the log's origin. The digest is part of the header, so that a forged request is refused before its body is read.
///
/// A restart forgets the nonces: a request can then be repeated for up to ``Limits/signatureSecondsMax``. Any thread may call.
package final class NodeSignature: Sendable {
    package static let headerName = "GreenTea-Node"
    /// The value of this header in every answer to a verified request. Any other value is the reason of a refusal.
    package static let accepted = "1"

    private static let version: Substring = "1"
    private static let nobody = "-"

    private let key: SymmetricKey
    private let origin: String
    private let milliseconds: @Sendable () -> Int64
    private let nonces = Mutex(NonceWindow())

    /// Creates a signature for one log.
    ///
    /// - Parameters:
    ///   - secret: `Keys.nodeSecret`, the same on all nodes.
    ///   - origin: the log's name; nodes of another log are refused.
    ///   - milliseconds: the machine's clock, since 1970.
    package init(
        secret: [UInt8], log origin: String,
        milliseconds: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
    ) {
        (key, self.origin, self.milliseconds) = (SymmetricKey(data: secret), origin, milliseconds)
    }

    /// The header's value for a request, which can be sent once.
    ///
    /// - Parameters:
    ///   - target: the path and, after a question mark, the query if it is not empty.
    ///   - client: the address of the client for whom the request is sent, without commas.
    package func header(_ method: String, _ target: String, body: [UInt8] = [], for client: String? = nil) -> String {
        let nonce = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let digest = Hexadecimal.text(SHA256.hash(data: body))
        let signed = "\(Self.version),\(milliseconds()),\(nonce),\(digest),\(client ?? Self.nobody)"
        let code = HMAC<SHA256>.authenticationCode(for: message(signed, method, target), using: key)
        return signed + "," + Hexadecimal.text(code)
    }

    /// Verifies the header of a request, and takes its nonce. The caller MUST check the body with ``SignedRequest/covers(_:)``.
    ///
    /// - Throws: ``NodeRefusal``.
    package func verify(_ header: String, _ method: String, _ target: String) throws(NodeRefusal) -> SignedRequest {
        guard header.utf8.count <= Limits.signatureBytesMax, let comma = header.lastIndex(of: ","),
            let code = Hexadecimal.bytes(header[header.index(after: comma)...].utf8),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message(header[..<comma], method, target), using: key)
        else { throw .unknown }
        let fields = header[..<comma].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0] == Self.version, let time = Int64(fields[1]), let nonce = UInt128(fields[2], radix: 16),
            let digest = Hexadecimal.bytes(fields[3].utf8)
        else { throw .otherVersion }
        let (now, most) = (milliseconds(), Limits.signatureSecondsMax * 1_000)
        let (ahead, overflows) = time.subtractingReportingOverflow(now)
        guard !overflows, ahead.magnitude <= most else { throw .clock(aheadMilliseconds: overflows ? .max : ahead) }
        try nonces.withLock { (window) throws(NodeRefusal) in try window.insert(nonce, at: time, now: now) }
        return SignedRequest(client: fields[4] == Self.nobody ? nil : String(fields[4]), digest: digest)
    }

    private func message(_ signed: some StringProtocol, _ method: String, _ target: String) -> [UInt8] {
        Array("\(signed)\n\(method)\n\(target)\n\(origin)".utf8)
    }
}

/// A verified request of another node, except for its body.
package struct SignedRequest: Sendable {
    /// The address of the client for whom the node asks; nil if it asks for itself, or the address has no limits.
    package let client: String?
    fileprivate let digest: [UInt8]

    /// Whether this is the body that was signed.
    package func covers(_ body: [UInt8]) -> Bool { digest.elementsEqual(SHA256.hash(data: body)) }
}

/// The reason why the request of another node is refused.
package enum NodeRefusal: Error, Hashable, CustomStringConvertible {
    /// Another secret or another log, or a stranger's request, who is told nothing.
    case unknown
    case otherVersion
    /// The time of the signature minus that of this node.
    case clock(aheadMilliseconds: Int64)
    case repeated
    case tooMany
    case otherBody

    /// A sentence for the operator of the other node, in ASCII.
    package var description: String {
        switch self {
        case .unknown: "The signature is not that of a node of this log: both nodes need the same master key and a copy of the same log."
        case .otherVersion: "The signature has another version: update the older of the two nodes."
        case .clock(let ahead):
            "The clock of the asking node is \(ahead.magnitude / 1_000) s \(ahead > 0 ? "ahead of" : "behind") this node's; "
                + "at most \(Limits.signatureSecondsMax) s are accepted: set both by NTP."
        case .repeated: "The request was received before: something between the nodes repeats requests."
        case .tooMany: "More than \(Limits.noncesMax) requests of nodes arrived in two minutes: try again later."
        case .otherBody: "The body is not the one that was signed: something between the nodes changes requests."
        }
    }
}

/// The nonces of all signatures that are still valid, in spans of the signatures' own times. A span is dropped as a whole.
struct NonceWindow {
    private static let spanMilliseconds = Limits.signatureSecondsMax * 1_000

    private var spans: [Int64: Set<UInt128>] = [:]

    var count: Int { spans.values.reduce(0) { $0 + $1.count } }

    mutating func insert(_ nonce: UInt128, at time: Int64, now: Int64) throws(NodeRefusal) {
        let (span, oldest) = (time / Self.spanMilliseconds, (now - Self.spanMilliseconds) / Self.spanMilliseconds)
        for old in spans.keys where old < oldest { spans[old] = nil }
        // Nothing is evicted to make room, because a request could then be repeated.
        guard count < Limits.noncesMax else { throw .tooMany }
        guard spans[span, default: []].insert(nonce).inserted else { throw .repeated }
    }
}

/// The limits of this target.
enum Limits {
    /// Seconds between the clocks of two nodes.
    static let signatureSecondsMax: Int64 = 60
    /// Bytes of the header: its own fields take 220.
    static let signatureBytesMax = 320
    /// Nonces in memory, 30 bytes each.
    static let noncesMax = 1 << 20
    /// Seconds until a connection to another node is open.
    static let connectSeconds: Int64 = 3
    /// Seconds until a connection that is not used is closed: half of what the other side waits.
    static let idleSeconds: Int64 = 30
    /// Connections to one node. The writer commits what comes by them together.
    static let connectionsMax = 64
    /// Seconds for an answer: more than the wait of `/node/log`.
    static let answerSeconds: Int64 = 15
    /// Seconds for the answer to a client's request: more than three attempts to send a text message.
    static let forwardSeconds: Int64 = 40
    /// Bytes of a forwarded answer: more than the largest sheet of paper cards.
    static let forwardedBytesMax = 32 << 20
    static let checkpointBytesMax = 65_536
    static let rowsBytesMax = 1 << 20
    /// A stored picture is smaller than the largest file that is accepted, 8 MiB.
    static let pictureBytesMax = (17 << 20) + 64
    /// Seconds for a picture on a slow network.
    static let pictureSeconds: Int64 = 120
    /// Bytes of one entry beyond those that were asked for: its largest event, its head and its code.
    static let entryBytesBeyond = 1 << 20
}
