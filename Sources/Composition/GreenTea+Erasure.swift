public import CommandService
import EventLog
import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Erases the caller: first the certificate in the log, then the key, which makes everything that was sealed for the account unreadable
    /// in this log and in all its copies. An owner's shops close too, and their keys go first.
    ///
    /// A crash between the two leaves the certificate; the next start destroys the key before it serves.
    ///
    /// Pictures that the account showed are removed, unless another account shows the same. They are released before the certificate,
    /// because afterwards nothing says which they were; the next start's sweep removes the rest after a crash.
    ///
    /// - Parameter onCertificate: called once the certificate is durable, regardless of the key: the account's sessions have ended.
    /// - Throws: `.failed` if the key could not be destroyed now. The account is erased all the same: it can no longer act, its key opens
    ///   nothing here, and the service retries the destruction, at the latest at the next start. A retry by the client finds no session.
    public func eraseAccount(
        by caller: Caller, onCertificate: @Sendable (Acceptance) -> Void = { _ in }
    ) async throws(ServiceError) -> Acceptance {
        let pictures = try await readingApart { try $0.releasePictures(of: caller.account) }
        let acceptance = try await submit(.eraseAccount(EraseAccount()), by: caller)
        onCertificate(acceptance)
        let holders = Self.closedShops(in: acceptance.facts).map(\.keyHolder) + [caller.account]
        do {
            try await blocking { [keyStore] in try keyStore.destroyKeys(of: holders) }
        } catch {
            goOnErasing(holders)
            throw .failed("the key of an erased account still exists; it is tried again: \(error)")
        }
        try await removeReleased(pictures)
        return acceptance
    }

    private static func closedShops(in facts: [Fact]) -> [ShopID] {
        facts.compactMap { fact in
            guard case .shopClosed(let event) = fact.event, event.erasesContact else { return nil }
            return event.shop
        }
    }

    /// Tries again until it is done, or the service is gone.
    private func goOnErasing(_ holders: [AccountID]) {
        Task.detached { [weak self] in
            var seconds = Limits.erasureRetrySeconds
            var isDone = false
            while !isDone {
                try? await Task.sleep(for: .seconds(seconds))
                guard let keyStore = self?.keyStore else { return }
                isDone = (try? await blocking { try keyStore.destroyKeys(of: holders) }) != nil
                seconds = min(seconds * 2, Limits.erasureRetrySecondsMax)
            }
        }
    }
}
