import EventLog
import Loyalty

extension GreenTea {
    /// Erases the caller: first the certificate in the log, then the key, which makes everything that was sealed for them unreadable
    /// in this log and in all its copies.
    ///
    /// A crash between the two leaves the certificate; the next start destroys the key before it serves anybody.
    ///
    /// - Throws: `.failed` where the key could not be destroyed now. The account is erased all the same: it acts no more, and the next
    ///   start destroys the key.
    public func eraseAccount(by caller: Caller) async throws(ServiceError) -> Acceptance {
        let acceptance = try await submit(.eraseAccount(EraseAccount()), by: caller)
        do {
            try await blocking { [keyStore] in _ = try keyStore.destroyKey(of: caller.account) }
        } catch {
            throw .failed("the key of an erased account still exists: \(error)")
        }
        return acceptance
    }

    /// Destroys the keys of those whose erasure was cut short after its certificate.
    @available(*, noasync)
    static func finishErasures(_ log: EventLog, _ keyStore: KeyStore) throws {
        for account in try LogPast(log).erasedAccounts() { try keyStore.destroyKey(of: account) }
    }
}
