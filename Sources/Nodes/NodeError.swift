package import EventLog
internal import Foundation

/// The address of another node: `https://node2.example:8443`.
package struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without a final slash.
    package let description: String
    let isEncrypted: Bool

    /// Reads an address.
    ///
    /// - Throws: ``NodeError/badAddress(_:)`` for anything but http or https, a host, and optionally a port and a final slash.
    package init(_ text: String) throws(NodeError) {
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = parts.scheme,
            ["http", "https"].contains(scheme), parts.host?.isEmpty == false, parts.user == nil, parts.password == nil,
            parts.query == nil, parts.fragment == nil, ["", "/"].contains(parts.path), parts.port.map({ (1...65_535).contains($0) }) ?? true
        else { throw .badAddress(text) }
        description = text.hasSuffix("/") ? String(text.dropLast()) : text
        isEncrypted = scheme == "https"
    }
}

/// The reason why another node did not answer as asked.
package enum NodeError: Error, Hashable, Sendable, CustomStringConvertible {
    case badAddress(String)
    case badAuthorities(path: String, reason: String)
    /// There is no connection, so nothing was sent.
    case notConnected(node: String, reason: String)
    /// No complete answer. The other node may have carried out the request, and may at any later time.
    case unreachable(node: String, reason: String)
    /// The other node does not accept this node's signature.
    case refused(node: String, reason: String)
    case otherLog(node: String, log: String, expected: String)
    /// The other node's log ends before this node's position.
    case behind(node: String, head: Position, expected: Position)
    case tooLarge(node: String, bytesMax: Int)
    /// An answer that no node gives.
    case unexpected(node: String, status: Int, reason: String)

    package var description: String {
        switch self {
        case .badAddress(let text):
            "\(text) is no address of a node: give http:// or https://, a host and perhaps a port, as in https://node2.example:8443."
        case .badAuthorities(let path, let reason):
            "\(path) has no certificates of authorities (\(reason)): name a file of certificates in PEM, or none for those of the system."
        case .notConnected(let node, let reason), .unreachable(let node, let reason):
            "\(node) gives no answer (\(reason)): check that it runs, and the network to it."
        case .refused(let node, let reason): "\(node) refuses this node. \(reason)"
        case .otherLog(let node, let log, let expected):
            "\(node) has the log \(log), this node \(expected): give the address of a node of the same log."
        case .behind(let node, let head, let expected): "the log of \(node) ends at position \(head), this one at \(expected)."
        case .tooLarge(let node, let bytesMax):
            "the answer of \(node) is larger than \(bytesMax) bytes: check the address, and that both nodes have the same version."
        case .unexpected(let node, let status, let reason):
            "\(node) answers as no node does (status \(status)\(reason.isEmpty ? "" : ": " + reason)): check the address, and that both "
                + "nodes have the same version."
        }
    }
}

extension EventLogError {
    /// An error of reading another node's log. All but the wrong log can end by itself, or by what an operator does at the other node.
    package init(_ error: NodeError) {
        switch error {
        case .otherLog: self.init(.logMismatch, error.description)
        case .behind(_, let head, _): self.init(.engineBehind, error.description, position: head)
        default: self.init(.unreachable, error.description)
        }
    }
}
