public import EventLog
import Foundation
import LMDB
public import LoyaltyCodec
public import Merkle
import Synchronization

/// The tie between keys and log. Keys of another log match no phone, no code and no sealed field, so everybody would register anew.
extension KeyStore {
    /// Refuses keys that note another log than the one whose verifier key lies in the folder. Needs no secret, so a start finds it before
    /// the master key is compared.
    ///
    /// - Throws: `KeyStoreError.foreign`.
    static func requireNotedOwner(of data: DataFolder) throws(KeyStoreError) {
        guard let key = VerifierKey(inFile: data.verifierKey), let log = try? LogFile(directory: data.log), log.head > .start,
            let noted = (try? owner(in: data.keys))?.log, noted != key
        else { return }
        throw .foreign(path: data.keys, log: key.name.string)
    }

    /// Refuses keys that cannot have signed the folder's last checkpoint. This also finds keys without a note, from an older program.
    ///
    /// - Throws: `KeyStoreError.foreign`.
    public func requireOwner(_ log: EventLog, in data: DataFolder) throws {
        guard log.head > .start else { return }
        let own = try NoteSigner(name: log.origin, seed: keys.checkpointSeed).verifierKey
        let signers: [KeyID]
        if let bytes = FileManager.default.contents(atPath: data.checkpoint), let note = try? SignedNote([UInt8](bytes)) {
            signers = note.signatures.map(\.keyID)
        } else {
            signers = VerifierKey(inFile: data.verifierKey).map { [$0.id] } ?? []
        }
        guard !signers.isEmpty, !signers.contains(own.id) else { return }
        throw KeyStoreError.foreign(path: data.keys, log: log.origin)
    }

    /// Notes the log that the keys belong to, for tools that do not have the master key. A copy of the keys has the note as well.
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
        return KeyOwner(log: try file.value(file.meta, KeyFile.Entry.log.name), searched: nil)
    }
}
