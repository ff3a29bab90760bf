import LMDB
import Loyalty
public import LoyaltyCodec
import Synchronization

/// How the master secret is changed.
extension KeyStore {
    /// Wraps every data key, and the root, by another master secret, in one transaction. This object is of no use afterwards.
    ///
    /// A crash leaves the folder with the old master secret or with the new one, never between. What the old one wrapped is scrubbed
    /// from the file; copies of it elsewhere still open with the old secret.
    ///
    /// - Returns: how many data keys were wrapped anew.
    /// - Throws: the storage's `LMDBError`, or a `CodecError` for a key that does not open; nothing was changed then.
    @available(*, noasync)
    public func rotate(to master: MasterSecret) throws -> Int {
        let next = keys.under(master)
        let count = try state.withLock { state in
            state.unwrapped = .init(limit: Limits.cachedEntitiesMax)
            let file = try opened(&state)
            var rows: [(table: Table, name: [UInt8], value: [UInt8])] = []
            for (name, wrapped) in try file.allKeys() {
                let account = AccountID(name.reduce(0) { $0 << 8 | UInt128($1) })
                let key = try keys.unwrap(wrapped, for: account)
                rows.append((file.dataKeys, name, try next.wrap(key, for: account, nonce: randomness.bytes(Sealing.nonceLength))))
            }
            let root = try keys.wrappedRoot(by: master, nonce: randomness.bytes(Sealing.nonceLength))
            try file.put(rows + [(file.meta, KeyFile.Entry.root.name, root), (file.meta, KeyFile.Entry.unscrubbed.name, [1])])
            return rows.count
        }
        try scrub()
        return count
    }
}
