public import EventLog
import LMDB
public import LoyaltyCodec
public import Merkle
import Synchronization

/// The checks that the keys belong to the log; with others, everybody would register anew.
extension KeyStore {
    /// Refuses keys whose note names another log. Needs no secret, so a start can report this before a wrong master key.
    ///
    /// - Throws: `KeyStoreError.foreign`.
    static func requireNotedOwner(of data: DataFolder) throws(KeyStoreError) {
        guard let log = try? LogFile(directory: data.log), log.head > .start, let owner = try? owner(in: data.keys) else { return }
        let (head, rootAt) = (log.head.rawValue, { (size: UInt64) in try log.root(at: size) })
        guard let signer = VerifierKey(signing: data, head: head, rootAt: rootAt),
            owner.relation(to: signer, head: head, rootAt: rootAt, holdsKeys: { nil }) == .foreign
        else { return }
        throw .foreign(path: data.keys, log: signer.name.string)
    }

    /// Refuses keys that do not belong to the folder's log by its accounts or checkpoint, even without a note.
    ///
    /// - Throws: `KeyStoreError.foreign`.
    public func requireOwner(_ log: EventLog, in data: DataFolder) throws {
        guard log.head > .start else { return }
        let own = try NoteSigner(name: log.origin, seed: keys.checkpointSeed).verifierKey
        let (head, rootAt) = (log.head.rawValue, { (size: UInt64) in try log.root(through: Position(size)) })
        let isForeign = try state.withLock { state in
            let file = try opened(&state)
            let owner = KeyOwner(log: Array(own.text.utf8), searched: try file.value(file.meta, KeyFile.Entry.erasures.name))
            let signer = VerifierKey(signing: data, head: head, rootAt: rootAt)
            return owner.relation(to: signer, head: head, rootAt: rootAt) {
                try log.holdsKeys { try file.value(file.dataKeys, Self.name(of: $0)) != nil }
            } == .foreign
        }
        if isForeign { throw KeyStoreError.foreign(path: data.keys, log: log.origin) }
    }

    /// The log's newest accounts without a key here. If there are some, the keys are an older copy.
    public func lackingKeys(of log: EventLog) throws -> LackingKeys {
        try state.withLock { state in
            let file = try opened(&state)
            return try log.lackingKeys { try file.value(file.dataKeys, Self.name(of: $0)) != nil }
        }
    }

    /// Notes the log that the keys belong to, for tools without the master key.
    @available(*, noasync)
    public func noteOwner(_ key: VerifierKey) throws {
        let text = Array(key.text.utf8)
        try state.withLock { state in
            let file = try opened(&state)
            guard try file.value(file.meta, KeyFile.Entry.log.name) != text else { return }
            try file.put([(file.meta, KeyFile.Entry.log.name, text)])
        }
    }

    private static func owner(in directory: String) throws -> KeyOwner {
        let file = try KeyFile(directory: directory, access: .readOnly)
        let searched = try file.value(file.meta, KeyFile.Entry.erasures.name)
        return KeyOwner(log: try file.value(file.meta, KeyFile.Entry.log.name), searched: searched)
    }
}
