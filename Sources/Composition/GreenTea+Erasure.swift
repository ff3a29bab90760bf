public import CommandService
import EventLog
import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Erases the caller's account. First the certificate, which is the event `AccountErased`, is added to the log. Then the account's key
    /// is destroyed, so that the account's sealed data can no longer be read in this log or any copy of it. An owner's shops close before
    /// the certificate or with it, and their keys are destroyed before the account's key.
    ///
    /// If a crash comes between the two steps, the next start destroys the key before it serves requests.
    ///
    /// Pictures that the account showed are removed, unless another account shows the same picture. They are marked for removal before the
    /// certificate is added, because the service cannot find out which pictures they were once the key is destroyed. After a crash, the
    /// sweep at the next start removes the rest.
    ///
    /// - Parameter onCertificate: called once the certificate is durable, even if the key could not be destroyed. The account's sessions
    ///   have ended by then.
    /// - Throws: `.failed` if the key could not be destroyed now, `.overloaded` if a full disk is the cause. The account is erased
    ///   nevertheless: it can no longer act, this service no longer uses its key, and the service retries the destruction, at the latest at
    ///   the next start. A retry by the client gets 401, because its session has ended. Also `.failed` if a picture could not be removed,
    ///   which the next sweep retries.
    public func eraseAccount(
        by caller: Caller, onCertificate: @Sendable (Acceptance) -> Void = { _ in }
    ) async throws(ServiceError) -> Acceptance {
        try await closeShops(of: caller)
        let pictures = try await readingApart { try $0.releasePictures(of: caller.account) }
        let acceptance = try await submit(.eraseAccount(EraseAccount()), by: caller)
        onCertificate(acceptance)
        let holders = Self.closedShops(in: acceptance.facts).map(\.keyHolder) + [caller.account]
        do {
            try await blocking { [keyStore] in try keyStore.destroyKeys(of: holders) }
        } catch {
            goOnErasing(holders)
            throw ServiceError(storage: error, "the key of an erased account still exists; it is tried again: ")
        }
        try await removeReleased(pictures)
        return acceptance
    }

    /// Closes the open shops of an owner who is to be erased, except the last one, each by a command of its own. So other people's commands
    /// can be decided in between. If a step fails, the account is not erased, and the shops before it stay closed.
    private func closeShops(of caller: Caller) async throws(ServiceError) {
        guard try !isAnswered(caller) else { return }
        let open = try await readingApart { service in
            try service.reading { try $0.shops(ownedBy: caller.account) }.filter { $0.closing == nil }.map(\.id)
        }
        for shop in open.dropLast() {
            do throws(ServiceError) {
                _ = try await submit(.eraseAccount(EraseAccount(closing: shop)), by: Caller(account: caller.account))
            } catch {
                // Another request has erased the account meanwhile. If it had the caller's key, the caller gets its answer.
                guard error == .rejected(.notFound) else { throw error }
                return
            }
        }
    }

    private static func closedShops(in facts: [Fact]) -> [ShopID] {
        facts.compactMap { fact in
            guard case .shopClosed(let event) = fact.event, event.erasesContact else { return nil }
            return event.shop
        }
    }

    /// Retries the destruction of the holders' keys until they are destroyed, or the service has ended.
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
