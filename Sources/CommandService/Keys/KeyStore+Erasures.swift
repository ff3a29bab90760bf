import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// What a crash may leave of an erasure.
extension KeyStore {
    /// Destroys the keys of all whose erasure stands in the log, where a crash came between the two.
    ///
    /// The store notes how far it has looked, so that a start looks at what came since the one before, however long the log is. It looks
    /// at everything where the log does not begin with what was searched: it was rolled back, or is another. Keys from an older copy
    /// bring that copy's note along.
    @available(*, noasync)
    func finishErasures(in log: EventLog) throws {
        let now = try ErasureNote(of: log)
        let known = try erasureNote().flatMap { $0.holds(in: log) ? $0.position : nil } ?? .start
        guard known < now.position else { return }
        let past = LogPast(log, through: now.position)
        for account in try past.erasedAccounts(after: known) {
            if let shop = try past.shop(ownedBy: account) { try destroyKey(of: shop.id.keyHolder) }
            try destroyKey(of: account)
        }
        try state.withLock { state in
            let file = try opened(&state)
            try file.put([(file.meta, KeyFile.Entry.erasures.name, now.bytes)])
        }
    }

    private func erasureNote() throws -> ErasureNote? {
        try state.withLock { state in
            let file = try opened(&state)
            return try file.value(file.meta, KeyFile.Entry.erasures.name).flatMap { ErasureNote($0.span) }
        }
    }
}
