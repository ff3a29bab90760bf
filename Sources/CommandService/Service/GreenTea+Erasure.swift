import EventLog
import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Erases the caller: first the certificate in the log, then the key, which makes everything that was sealed for them unreadable
    /// in this log and in all its copies. An owner's shop closes with them, and its key goes first.
    ///
    /// A crash between the two leaves the certificate; the next start destroys the key before it serves anybody.
    ///
    /// Pictures that they showed go with them, unless somebody else shows the same. They are let go before the certificate, since
    /// nothing says behind it which they were: the next start's sweep removes what a crash leaves of them.
    ///
    /// - Parameter onCertificate: told once the certificate is durable, whatever becomes of the key: the account's sessions have ended.
    /// - Throws: `.failed` where the key could not be destroyed now. The account is erased all the same: it acts no more, its key opens
    ///   nothing here, and the service goes on trying to destroy it, at the latest at the next start. Nobody else could: a repetition
    ///   finds no session.
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
