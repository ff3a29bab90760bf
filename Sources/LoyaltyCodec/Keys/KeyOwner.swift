import Foundation
public import Merkle

/// The log that a folder of keys belongs to, as the folder tells it without a secret.
///
/// The service notes the key that verifies its log's checkpoints: the log's name, and a public key that is derived from the root secret. A
/// folder that an older program made has no such note, but mostly the position and root up to which its log was searched for erasures.
public struct KeyOwner: Hashable, Sendable {
    /// Whether keys belong to a log.
    public enum Relation: Hashable, Sendable {
        case own
        case foreign
        /// The folder does not tell.
        case unknown
    }

    /// The name of the entry with the text of ``log``.
    public static let logEntry = "log"
    /// The name of the entry with the part of the log that was searched for erasures: a position as a little-endian u64, then a root.
    public static let searchedEntry = "erasures"

    /// The key that verifies the log's checkpoints; nil if an older program made the folder.
    public let log: VerifierKey?
    private let position: UInt64
    private let root: NodeHash?

    /// - Parameters:
    ///   - log: the value of the entry ``logEntry``.
    ///   - searched: the value of the entry ``searchedEntry``.
    public init(log: [UInt8]?, searched: [UInt8]?) {
        self.log = log.flatMap { try? VerifierKey(String(decoding: $0, as: UTF8.self)) }
        let bytes = searched.flatMap { $0.count == 8 + NodeHash.byteCount ? $0 : nil } ?? []
        position = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        root = NodeHash(Array(bytes.dropFirst(8)))
    }

    /// Whether the keys belong to a log.
    ///
    /// - Parameters:
    ///   - key: the key that verifies the log's checkpoints; nil if it is not known.
    ///   - head: the log's last position.
    ///   - rootAt: computes the root of the log's tree at a position up to `head`.
    public func relation(to key: VerifierKey?, head: UInt64, rootAt: (UInt64) throws -> NodeHash) -> Relation {
        if let log, let key { return log == key ? .own : .foreign }
        guard let root, position > 0, position <= head, let own = try? rootAt(position) else { return .unknown }
        return own == root ? .own : .foreign
    }
}

extension VerifierKey {
    /// Reads a key from a file such as `checkpoint.vkey`; nil if there is none, or if it is damaged.
    public init?(inFile path: String) {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = try? VerifierKey(text) else { return nil }
        self = key
    }
}
