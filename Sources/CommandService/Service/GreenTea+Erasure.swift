import EventLog
import Loyalty

extension GreenTea {
    /// Erases the caller: first the certificate in the log, then the key, which makes everything that was sealed for them unreadable
    /// in this log and in all its copies.
    ///
    /// A crash between the two leaves the certificate; the next start destroys the key before it serves anybody.
    ///
    /// - Parameter onCertificate: told once the certificate is durable, whatever becomes of the key: the account's sessions have ended.
    /// - Throws: `.failed` where the key could not be destroyed now. The account is erased all the same: it acts no more, its key opens
    ///   nothing here, and the service goes on trying to destroy it, at the latest at the next start. Nobody else could: a repetition
    ///   finds no session.
    public func eraseAccount(
        by caller: Caller, onCertificate: @Sendable (Acceptance) -> Void = { _ in }
    ) async throws(ServiceError) -> Acceptance {
        let acceptance = try await submit(.eraseAccount(EraseAccount()), by: caller)
        onCertificate(acceptance)
        do {
            try await blocking { [keyStore] in _ = try keyStore.destroyKey(of: caller.account) }
        } catch {
            goOnErasing(caller.account)
            throw .failed("the key of an erased account still exists; it is tried again: \(error)")
        }
        return acceptance
    }

    /// Tries again until it is done, or the service is gone.
    private func goOnErasing(_ account: AccountID) {
        Task.detached { [weak self] in
            var seconds = Limits.erasureRetrySeconds
            var isDone = false
            while !isDone {
                try? await Task.sleep(for: .seconds(seconds))
                guard let keyStore = self?.keyStore else { return }
                isDone = (try? await blocking { _ = try keyStore.destroyKey(of: account) }) != nil
                seconds = min(seconds * 2, Limits.erasureRetrySecondsMax)
            }
        }
    }
}
