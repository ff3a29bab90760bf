internal import CommandService
import EventLog
package import Loyalty
import LoyaltyCodec
import Synchronization

/// Keys and pictures of a writer on the disk of another node.
extension GreenTea {
    /// Set from a node's first command as the writer to its last.
    package func setCourier(_ courier: (any Courier)?) { self.courier.withLock { $0 = courier } }

    /// Refuses rows of older terms from now on.
    package func note(term: UInt64) { newestTerm.max(term, ordering: .relaxed) }

    /// Call this once the rows are stored here, and before an event needs them. Blocks. A retry of the request MUST call it again.
    ///
    /// - Parameter isDelivered: whether the log has an event that needed the rows as they are.
    /// - Throws: `ServiceError.noSecondCopy`, errors of `isDelivered`.
    @available(*, noasync)
    func deliver(keysOf holders: [AccountID], unless isDelivered: (AccountID) throws -> Bool = { _ in false }) throws {
        guard let courier = courier.withLock({ $0 }) else { return }
        let holders = try holders.filter { try !isDelivered($0) }
        guard !holders.isEmpty else { return }
        do { try courier.deliver(keysOf: holders) } catch { throw ServiceError.noSecondCopy("\(error)") }
    }

    /// Call this before the picture is acknowledged.
    ///
    /// - Throws: `ServiceError.noSecondCopy`.
    func deliver(picture: ImageID) async throws {
        guard let courier = courier.withLock({ $0 }) else { return }
        do { try await blocking { try courier.deliver(picture: picture) } } catch { throw ServiceError.noSecondCopy("\(error)") }
    }
}

/// The receiver's side.
extension GreenTea {
    /// Stores the keys and phones that a writer's next events need. Blocks.
    ///
    /// A number stays with the account that has it by this log. Rows of an event that is then refused do no harm: like those of an
    /// interrupted registration, they serve the next one with the number, unless the log gives it to another account.
    ///
    /// - Throws: ``KeyRowsError``, errors of the storage, all with nothing changed.
    @available(*, noasync)
    package func keepRows(_ message: [UInt8], of holders: [AccountID], term: UInt64) throws {
        do { try adopt(message, of: holders, term) } catch KeyRowsError.takenNumber(_, let position) where log.head < position {
            // The number may be free by an event that is still on its way.
            _ = log.headSignal.wait(beyond: Position(position.rawValue - 1), timeoutSeconds: Limits.deliveredWaitSeconds)
            try adopt(message, of: holders, term)
        }
    }

    @available(*, noasync)
    private func adopt(_ message: [UInt8], of holders: [AccountID], _ term: UInt64) throws {
        guard seat == nil else { throw KeyRowsError.receiverWrites }
        let newest = newestTerm.max(term, ordering: .relaxed).newValue
        guard newest == term else { throw KeyRowsError.olderTerm(term, newest: newest) }
        let past = LogPast(log)
        _ = try keyStore.adopt(
            message, of: holders, asOf: .start, keeping: { try hasNumber($0, named: $1) }, unless: { try past.isErased(holder: $0) })
    }

    /// Whether the log gives an account a number, or has a request for it.
    private func hasNumber(_ id: AccountID, named name: UInt128) throws -> Bool {
        guard let account = try LogPast(log).account(id), let key = try keyStore.key(of: id) else { return false }
        return [account.sealedPhone, account.comingPhone?.sealedPhone].contains { sealed in
            guard let sealed, let number = Sealing.open(sealed, field: .phone, of: id, under: key) else { return false }
            return keys.phoneName(of: number) == name
        }
    }

    /// Stores what the writer's ``pictureForNode(_:)`` has returned. Blocks.
    ///
    /// - Throws: ``KeyRowsError``, `ImageError`.
    package func keepPicture(_ image: ImageID, _ message: [UInt8]) throws {
        guard seat == nil else { throw KeyRowsError.receiverWrites }
        try keep(image, message)
    }

    /// The holders that another node's rows have no key of, and how many of these the log has registered and not erased.
    package func lacking(in message: [UInt8]) throws -> (all: Int, registered: Int) {
        let (absent, past) = (try keyStore.absent(in: message), LogPast(log))
        let registered = try absent.filter { holder in
            guard try past.account(holder) != nil || past.shop(ShopID(holder.value)) != nil else { return false }
            return try !past.isErased(holder: holder)
        }
        return (absent.count, registered.count)
    }
}
