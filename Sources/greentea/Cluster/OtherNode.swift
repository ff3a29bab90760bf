import CommandService
import Composition
import EventLog
import HTTPAPI
import Loyalty
import LoyaltyCodec
import Nodes

/// The server of `--follow`, or another node of the cluster.
struct OtherNode: PeerNode {
    let client: NodeClient

    /// - Throws: `NodeError` for a file without certificates.
    init(_ address: NodeAddress, authorities: String?, _ keys: Keys, log origin: String) throws(NodeError) {
        client = try NodeClient(
            address, log: origin, signature: NodeSignature(secret: keys.nodeSecret, log: origin), authorities: authorities)
    }

    var url: String { "\(client.node)" }
    var head: Position? { client.head }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        try client.entries(after: position, bytes: bytes)
    }

    func checkpoint() throws(EventLogError) -> [UInt8] {
        do throws(NodeError) { return try client.checkpoint() } catch { throw EventLogError(error) }
    }

    func stop() { client.stop() }

    func rows(of holders: [AccountID]) throws -> [UInt8] { try client.rows(of: holders) }

    func picture(_ image: ImageID) throws -> [UInt8]? { try client.picture(image) }

    func keep(rows: [UInt8], of holders: [AccountID], term: UInt64) throws { try client.keep(rows: rows, of: holders, term: term) }

    func keep(picture image: ImageID, _ file: [UInt8]) throws { try client.keep(picture: image, file) }
}

extension NodePeers {
    /// The nodes of a service's cluster, or the one that it follows.
    init(of service: GreenTea) {
        let signature = NodeSignature(secret: service.keys.nodeSecret, log: service.log.origin)
        guard service.clusterStatus != nil else {
            let writer = Writer(service.writer)
            self.init(signature: signature, writer: { writer })
            return
        }
        self.init(
            signature: signature, writer: { Writer(service.writer) },
            awaitWriter: { _ = await service.awaitWriter(timeoutSeconds: $0) })
        name = service.nodeName
        node = { (service.node(named: $0) as? OtherNode)?.client }
        isStale = { service.isStale }
        others = { service.otherNodes?.compactMap { ($0 as? OtherNode)?.client } }
        knowsSessions = { await service.knowsSessions(endedThrough: $0, timeoutSeconds: $1) }
    }
}

extension NodePeers.Writer {
    fileprivate init(_ writer: GreenTea.Writer) {
        switch writer {
        case .this: self = .this
        case .other(let node): self = (node as? OtherNode).map { .other($0.client) } ?? .unknown
        case .unknown: self = .unknown
        }
    }
}
