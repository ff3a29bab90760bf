public import EventLog
import Foundation
public import Loyalty
public import Merkle

/// Tells to which log a folder of keys belongs. The answer is read from entries of the folder, without the master secret.
///
/// The service stores in the folder the key that verifies its log's checkpoints: the log's name, and a public key that is derived from the
/// root secret. A folder that an older release made has no such entry. Most of those folders have another entry: the position up to which
/// their log was searched for erasures, and the root of the log's tree at that position.
public struct KeyOwner: Hashable, Sendable {
    /// Whether the keys in a folder belong to a log.
    public enum Relation: Hashable, Sendable {
        case own
        case foreign
        /// The folder's entries do not tell whether its keys belong to the log.
        case unknown
    }

    /// The name of the folder's entry that contains ``log`` as text.
    public static let logEntry = "log"
    /// The name of the folder's entry that records up to which position the log was searched for erasures: the position as a little-endian
    /// u64, then the root of the log's tree at that position.
    public static let searchedEntry = "erasures"

    /// The key that verifies the log's checkpoints; nil if an older release made the folder.
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

    /// Whether the keys in the folder belong to a log.
    ///
    /// The answer is `foreign` only if the log itself shows it: by its accounts, or by a checkpoint that matches the log. If the log does
    /// not match the searched position and root, this shows nothing: the keys may have been copied before a rollback of the log that was
    /// accepted.
    ///
    /// - Parameters:
    ///   - signer: the key of a checkpoint that holds in the log, see ``VerifierKey/init(signing:head:rootAt:)``; nil if there is none.
    ///   - head: the log's last position.
    ///   - rootAt: computes the root of the log's tree at a position up to `head`.
    ///   - holdsKeys: whether the folder has a key of an account of the log, see ``LoyaltyCodec/EventLog/EventLog/holdsKeys(_:)``.
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
    /// The largest number of accounts that ``holdsKeys(_:)`` looks for.
    static var accountsLookedForMax: Int { 300 }

    /// Whether a key exists for one of the log's first accounts. Ids of accounts are random, so a single key proves that the keys belong to
    /// the log.
    ///
    /// - Parameter hasKey: whether an account has a key.
    /// - Returns: nil if the log has no account, or if all accounts that were looked for were erased.
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
        // An erasure destroys the account's key, so erased accounts do not count as lacking a key.
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
    /// Reads a key that verifies checkpoints from a file such as `checkpoint.vkey`; nil if there is no such file, or if it is damaged.
    public init?(inFile path: String) {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = try? VerifierKey(text) else { return nil }
        self = key
    }

    /// Reads the key that is stored beside a folder's checkpoint. The result is nil unless the checkpoint is signed with this key, covers
    /// at least one event and matches the log. A checkpoint of no events matches every log, so it proves nothing. Neither does a file with
    /// a key that was merely left in the folder.
    ///
    /// - Parameters:
    ///   - data: the folder.
    ///   - head: the log's last position.
    ///   - rootAt: computes the root of the log's tree at a position up to `head`.
    public init?(signing data: DataFolder, head: UInt64, rootAt: (UInt64) throws -> NodeHash) {
        guard let key = VerifierKey(inFile: data.verifierKey), let bytes = FileManager.default.contents(atPath: data.checkpoint),
            let trusted = try? TrustPolicy(key).open(try SignedNote([UInt8](bytes))).checkpoint, trusted.size > 0, trusted.size <= head,
            (try? rootAt(trusted.size)) == trusted.root
        else { return nil }
        self = key
    }
}
