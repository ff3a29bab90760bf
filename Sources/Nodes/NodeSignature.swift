internal import Crypto
internal import Merkle
internal import NIOCore
internal import Synchronization

/// Signs the requests of one node to another node of the same log, and verifies them.
///
/// The header is `2,EPOCH,NONCE,DIGEST,CLIENT,CODE`: a random number that the receiver has chosen (0 if the sender knows none), 128 random
/// bits, the SHA-256 of the body, the address of the client for whom the request is sent (`-` if there is none), and an HMAC-SHA256 over
/// all of these, the method, the path with its query, and the log's origin. The digest is part of the header, so that a forged request is
/// refused before its body is read.
///
/// No other process has the epoch, so a request is valid at one node, once, and for three minutes at most. Any thread may call.
package final class NodeSignature: Sendable {
    package static let headerName = "GreenTea-Node"
    /// The value of this header in every answer to a verified request. Any other value is the reason of a refusal.
    package static let accepted = "1"
    /// The epoch that the sender has to sign from now on, in hexadecimal digits. Not in answers to requests that have signed it.
    package static let epochHeaderName = "GreenTea-Node-Epoch"

    private static let version: Substring = "2"
    private static let nobody = "-"

    private let key: SymmetricKey
    private let origin: String
    private let seconds: @Sendable () -> Int64
    private let nonces: Mutex<NonceWindow>
    private let met = Atomic(false)

    /// Creates a signature for one log.
    ///
    /// - Parameters:
    ///   - secret: `Keys.nodeSecret`, the same on all nodes.
    ///   - origin: the log's name; nodes of another log are refused.
    ///   - epoch: the first one, which no other process may have.
    ///   - seconds: a steady clock.
    package init(
        secret: [UInt8], log origin: String, epoch: UInt64 = NonceWindow.newEpoch(),
        seconds: @escaping @Sendable () -> Int64 = { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }
    ) {
        (key, self.origin, self.seconds) = (SymmetricKey(data: secret), origin, seconds)
        nonces = Mutex(NonceWindow(epoch: epoch, at: seconds()))
    }

    /// Whether another node has sent a request since the start.
    package var hasMet: Bool { met.load(ordering: .relaxed) }

    /// The header's value for a request, which can be sent once.
    ///
    /// - Parameters:
    ///   - target: the path and, after a question mark, the query if it is not empty.
    ///   - client: the address of the client for whom the request is sent, without commas.
    ///   - epoch: the receiver's, as of its last answer; 0 before one.
    package func header(
        _ method: String, _ target: String, body: [UInt8] = [], for client: String? = nil, epoch: UInt64
    ) -> String {
        let nonce = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let digest = Hexadecimal.text(SHA256.hash(data: body))
        let signed = "\(Self.version),\(String(epoch, radix: 16)),\(nonce),\(digest),\(client ?? Self.nobody)"
        let code = HMAC<SHA256>.authenticationCode(for: message(signed, method, target), using: key)
        return signed + "," + Hexadecimal.text(code)
    }

    /// Verifies the header of a request, and takes its nonce. The caller MUST check the body with ``SignedRequest/covers(_:)``.
    ///
    /// - Throws: ``NodeRefusal``.
    package func verify(_ header: String, _ method: String, _ target: String) throws(NodeRefusal) -> SignedRequest {
        let fields = try fields(header, method, target)
        let newest = try nonces.withLock { (window) throws(NodeRefusal) in
            try window.insert(fields.nonce, of: fields.epoch, at: seconds())
        }
        if !hasMet { met.store(true, ordering: .relaxed) }
        return SignedRequest(client: fields.client, newEpoch: newest == fields.epoch ? nil : newest, digest: fields.digest)
    }

    /// Whether a node has sent the request, and for which client. Takes no nonce, so a repeated request counts, too.
    package func sender(_ header: String, _ method: String, _ target: String) -> (client: String?, isNode: Bool) {
        guard let fields = try? fields(header, method, target), nonces.withLock({ $0.has(fields.epoch) }) else { return (nil, false) }
        return (fields.client, true)
    }

    private typealias Fields = (epoch: UInt64, nonce: UInt128, digest: [UInt8], client: String?)

    private func fields(_ header: String, _ method: String, _ target: String) throws(NodeRefusal) -> Fields {
        guard header.utf8.count <= Limits.signatureBytesMax, let comma = header.lastIndex(of: ","),
            let code = Hexadecimal.bytes(header[header.index(after: comma)...].utf8),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message(header[..<comma], method, target), using: key)
        else { throw .unknown }
        let fields = header[..<comma].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0] == Self.version, let epoch = UInt64(fields[1], radix: 16),
            let nonce = UInt128(fields[2], radix: 16), let digest = Hexadecimal.bytes(fields[3].utf8)
        else { throw .otherVersion }
        return (epoch, nonce, digest, fields[4] == Self.nobody ? nil : String(fields[4]))
    }

    private func message(_ signed: some StringProtocol, _ method: String, _ target: String) -> [UInt8] {
        Array("\(signed)\n\(method)\n\(target)\n\(origin)".utf8)
    }
}

/// A verified request of another node, except for its body.
package struct SignedRequest: Sendable {
    /// The address of the client for whom the node asks; nil if it asks for itself, or the address has no limits.
    package let client: String?
    /// The epoch that the node has to sign from now on; nil if it has signed that.
    package let newEpoch: UInt64?
    fileprivate let digest: [UInt8]

    /// Whether this is the body that was signed.
    package func covers(_ body: [UInt8]) -> Bool { digest.elementsEqual(SHA256.hash(data: body)) }
}

/// The reason why the request of another node is refused.
package enum NodeRefusal: Error, Hashable, CustomStringConvertible {
    /// Another secret or another log, or a stranger's request, who is told nothing.
    case unknown
    case otherVersion
    /// Nothing was carried out. Signed again with this epoch, the request is accepted.
    case otherEpoch(UInt64)
    case repeated
    case otherBody

    /// A sentence for the operator of the other node, in ASCII.
    package var description: String {
        switch self {
        case .unknown: "The signature is not that of a node of this log: both nodes need the same master key and a copy of the same log."
        case .otherVersion: "The signature has another version: update the older of the two nodes."
        case .otherEpoch: "The signature is meant for another process: give an address that leads to one node, not to several by turns."
        case .repeated: "The request was received before: something between the nodes repeats requests."
        case .otherBody: "The body is not the one that was signed: something between the nodes changes requests."
        }
    }
}

/// The nonces of the two newest epochs. An epoch ends after a time, or when it has its most nonces; its nonces go with it.
package struct NonceWindow {
    private struct Epoch {
        let number: UInt64
        var nonces: Set<UInt128> = []
    }

    private var newest: Epoch
    private var before: Epoch?
    private var endsAt: Int64

    init(epoch: UInt64, at now: Int64) { (newest, endsAt) = (Epoch(number: epoch), now + Limits.epochSeconds) }

    package static func newEpoch() -> UInt64 { .random(in: 1 ... .max) }

    var count: Int { newest.nonces.count + (before?.nonces.count ?? 0) }

    func has(_ epoch: UInt64) -> Bool { epoch == newest.number || epoch == before?.number }

    /// Returns the newest epoch.
    mutating func insert(_ nonce: UInt128, of epoch: UInt64, at now: Int64) throws(NodeRefusal) -> UInt64 {
        if now >= endsAt || newest.nonces.count >= Limits.noncesMax {
            before = now < endsAt + Limits.epochSeconds ? newest : nil
            (newest, endsAt) = (Epoch(number: Self.newEpoch()), now + Limits.epochSeconds)
        }
        let isNew: Bool
        if epoch == newest.number {
            isNew = newest.nonces.insert(nonce).inserted
        } else {
            guard let held = before?.nonces.count, epoch == before?.number, held < Limits.noncesMax else {
                throw .otherEpoch(newest.number)
            }
            isNew = before?.nonces.insert(nonce).inserted == true
        }
        guard isNew else { throw .repeated }
        return newest.number
    }
}

/// The limits of this target.
enum Limits {
    /// Seconds of an epoch. A node that was silent for two has to sign again.
    static let epochSeconds: Int64 = 60
    /// Bytes of the header: its own fields take 222.
    static let signatureBytesMax = 320
    /// Nonces of one epoch, 30 bytes each.
    static let noncesMax = 1 << 19
    /// Seconds until a connection to another node is open.
    static let connectSeconds: Int64 = 3
    /// Seconds until a connection that is not used is closed: half of what the other side waits.
    static let idleSeconds: Int64 = 30
    /// Seconds for an answer: more than the wait of `/node/log`.
    static let answerSeconds: Int64 = 15
    /// Seconds for the answer to a client's request: more than three attempts to send a text message.
    static let forwardSeconds: Int64 = 40
    /// The time between two looks whether a node that has a client's request still writes.
    static let replacedLook = TimeAmount.milliseconds(250)
    /// Bytes of a forwarded answer: more than the largest sheet of paper cards.
    static let forwardedBytesMax = 32 << 20
    static let checkpointBytesMax = 65_536
    static let rowsBytesMax = 1 << 20
    /// Seconds for keys: a node that is frozen delays its own replacement no longer.
    static let rowsSeconds: Int64 = 3
    /// Seconds for a picture on a slow network.
    static let pictureSeconds: Int64 = 120
    /// Seconds until another node has stored keys or a picture.
    static let keepSeconds: Int64 = 3
    static let reasonBytesMax = 4_096
    /// Bytes of one entry beyond those that were asked for: its largest event, its head and its code.
    static let entryBytesBeyond = 1 << 20
}
