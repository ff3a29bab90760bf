public import EventLog
import Foundation
public import Loyalty
public import Merkle

/// Tells to which log a folder of keys belongs, without the master secret.
///
/// The folder has the key that verifies its log's checkpoints, or in older releases the position searched for erasures and the tree's root
/// there.
public struct KeyOwner: Hashable, Sendable {
    /// Whether the keys in a folder belong to a log.
    public enum Relation: Hashable, Sendable {
        case own
        case foreign
        case unknown
    }

    public static let logEntry = "log"
    /// The value is a little-endian u64 position, then the root of the log's tree there.
    public static let searchedEntry = "erasures"

    public let log: VerifierKey?
    private let position: UInt64
    private let root: NodeHash?

    /// - Parameters:
    ///   - log: the entry ``logEntry``.
    ///   - searched: the entry ``searchedEntry``.
    public init(log: [UInt8]?, searched: [UInt8]?) {
        self.log = log.flatMap { try? VerifierKey(String(decoding: $0, as: UTF8.self)) }
        let bytes = searched.flatMap { $0.count == 8 + NodeHash.byteCount ? $0 : nil } ?? []
        position = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        root = NodeHash(Array(bytes.dropFirst(8)))
    }

    /// `foreign` needs proof by the log's accounts or a matching checkpoint.
    ///
    /// A searched position that does not match proves nothing: the keys may be from before an accepted rollback of the log.
    ///
    /// - Parameters:
    public func relation(
        to signer: VerifierKey?, head: UInt64, rootAt: (UInt64) throws -> NodeHash, holdsKeys: () throws -> Bool?
    ) -> Relation {
        if let signer, log == signer { return .own }
        if let root, position > 0, position <= head, (try? rootAt(position)) == root { return .own }
        switch try? holdsKeys() {
        case true?: return .own
        case false?: return .foreign
        case nil: return signer != nil && log != nil && position <= head ? .foreign : .unknown
        }
    }
}

extension EventLog {
    static var accountsLookedForMax: Int { 300 }

    /// Whether a key exists for one of the log's first accounts. Ids are random, so one proves that the keys belong to the log.
    ///
    /// - Returns: nil if the log has no account, or all that were looked for were erased.
    public func holdsKeys(_ hasKey: (AccountID) throws -> Bool) throws -> Bool? {
        var (lacking, isFound) = (Set<AccountID>(), false)
        try scan { position, record in
            guard record.type == .accountRegistered,
                case .accountRegistered(let event) = try LoyaltyCodec.decode(record, at: position).event
            else { return true }
            isFound = try hasKey(event.account)
            lacking.insert(event.account)
            return !isFound && lacking.count < Self.accountsLookedForMax
        }
        if isFound { return true }
        if lacking.isEmpty { return nil }
        // An erasure destroys the account's key.
        try scan { position, record in
            guard record.type == .accountErased, case .accountErased(let event) = try LoyaltyCodec.decode(record, at: position).event else {
                return true
            }
            lacking.remove(event.account)
            return !lacking.isEmpty
        }
        return lacking.isEmpty ? nil : false
    }
}

extension VerifierKey {
    public init?(inFile path: String) {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = try? VerifierKey(text) else { return nil }
        self = key
    }

    /// nil unless the key beside the checkpoint signed it, and it matches the log. A checkpoint of no events matches every log.
    public init?(signing data: DataFolder, head: UInt64, rootAt: (UInt64) throws -> NodeHash) {
        guard let key = VerifierKey(inFile: data.verifierKey), let bytes = FileManager.default.contents(atPath: data.checkpoint),
            let trusted = try? TrustPolicy(key).open(try SignedNote([UInt8](bytes))).checkpoint, trusted.size > 0, trusted.size <= head,
            (try? rootAt(trusted.size)) == trusted.root
        else { return nil }
        self = key
    }
}
