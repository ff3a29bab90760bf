public import CommandService
public import EventLog
import LMDB
public import Loyalty
import LoyaltyCodec
public import Merkle

extension GreenTea {
    /// The last signed checkpoint, the published state of the log.
    public var checkpoint: TrustedCheckpoint { checkpoints.latest }

    /// Serves partial tiles at every width, because those of older checkpoints must remain available (C2SP tlog-tiles).
    public func bytes(of tile: Tile) throws(ServiceError) -> [UInt8]? {
        guard case .hashes = tile.kind, tile.isWithin(size: checkpoint.checkpoint.size) else { return nil }
        do { return try log.tree.bytes(of: tile) } catch { throw ServiceError(storage: error) }
    }

    /// With the record in `extra`. Nil if there is no such stamp, or if it belongs to another account.
    ///
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read or no checkpoint can be stored; ``ServiceError/stopping``.
    public func receipt(ofStampAt position: Position, for account: AccountID) async throws(ServiceError) -> Receipt? {
        try await receipt(of: .cardStamped, at: position, try stampHolder(at: position, for: account))
    }

    /// For a taken card, the event may name the waiting person.
    private func stampHolder(at position: Position, for account: AccountID) throws(ServiceError) -> AccountID {
        try reading { past in
            guard let event = try past.source.event(at: position), case .cardStamped(let stamp) = try LoyaltyCodec.decode(event).event,
                try past.card(stamp.card)?.holder == account
            else { return account }
            return stamp.holder
        }
    }

    /// Outlives the account's sessions and key. Nil if the position has no such event of this account.
    public func receipt(ofErasureAt position: Position, of account: AccountID) async throws(ServiceError) -> Receipt? {
        try await receipt(of: .accountErased, at: position, account)
    }

    private func receipt(of type: EventType, at position: Position, _ account: AccountID) async throws(ServiceError) -> Receipt? {
        do {
            guard let record = try record(of: type, at: position, account) else { return nil }
            let covering = try await covering(position)
            let proof = try log.inclusionProof(of: position, in: Position(covering.checkpoint.size))
            return try Receipt(proof, checkpoint: covering.note, extra: record)
        } catch let error as EventLogError where error.code == .closed {
            throw .stopping
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// Signing waits for the disk.
    private func covering(_ position: Position) async throws -> TrustedCheckpoint {
        let last = checkpoint
        if last.checkpoint.size >= position.rawValue { return last }
        let checkpoints = checkpoints
        return try await blocking { try checkpoints.checkpoint(covering: position) }
    }

    private func record(of type: EventType, at position: Position, _ account: AccountID) throws(EventLogError) -> [UInt8]? {
        let found = try log.withRecord(at: position) { (record) throws(EventLogError) -> [UInt8]? in
            guard record.type == type, record.value(of: .account) == account.value else { return nil }
            var bytes: [UInt8] = []
            bytes.append(copying: record.bytes)
            return bytes
        }
        return found ?? nil
    }
}
