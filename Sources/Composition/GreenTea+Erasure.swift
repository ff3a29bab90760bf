public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Erases the caller's account: adds the certificate `AccountErased` to the log, then destroys the key of the account's data.
    ///
    /// After a crash in between, the next start destroys the key before it serves requests. An owner's shops close first. Pictures are
    /// marked for removal before, because nobody can find them without the key.
    ///
    /// - Parameter onCertificate: called once the certificate is durable, even if the key could not be destroyed.
    /// - Throws: `.failed`, or `.overloaded` on a full disk, if the key or a picture could not be removed, which the service retries. The
    ///   account is erased nevertheless.
    public func eraseAccount(
        by caller: Caller, onCertificate: @Sendable (Acceptance) -> Void = { _ in }
    ) async throws(ServiceError) -> Acceptance {
        try requireSeat()
        try await closeShops(of: caller)
        let pictures = try await readingApart { try $0.releasePictures(of: caller.account) }
        let acceptance = try await submit(.eraseAccount(EraseAccount()), by: caller)
        onCertificate(acceptance)
        let holders = Self.closedShops(in: acceptance.facts).map(\.keyHolder) + [caller.account]
        do {
            try await blocking { [keyStore] in try keyStore.destroyKeys(of: holders) }
        } catch {
            resumeErasing(holders)
            throw ServiceError(storage: error, "the key of an erased account still exists; it is tried again: ")
        }
        try await removeReleased(pictures)
        return acceptance
    }

    /// Whether the session began less than ten minutes ago, by the log. A refresh does not count, and a session from a clock that was
    /// ahead is not new.
    public func hasBegunLately(_ session: SessionID) throws(ServiceError) -> Bool {
        guard let began = try reading({ try $0.session(session) })?.startedAt else { return false }
        let (now, end) = (clock.now(), began.advanced(bySeconds: Limits.freshSessionSeconds))
        return began <= now.advanced(bySeconds: Loyalty.Limits.clockLeadSeconds) && now < end
    }

    /// Closes all open shops but one, by a command each, so that other people's commands are decided in between.
    private func closeShops(of caller: Caller) async throws(ServiceError) {
        guard try !isAnswered(caller) else { return }
        let open = try await readingApart { service in
            try service.reading { try $0.shops(ownedBy: caller.account) }.filter { $0.closing == nil }.map(\.id)
        }
        for shop in open.dropLast() {
            do throws(ServiceError) {
                _ = try await submit(.eraseAccount(EraseAccount(closing: shop)), by: Caller(account: caller.account))
            } catch {
                // Another request has erased the account.
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

    /// Does for an accepted command, whose request was answered without its outcome, what the log alone does not: ends sessions, notes
    /// requested numbers, destroys keys.
    func finishLate(_ acceptance: Acceptance) {
        let events = acceptance.facts.map(\.event)
        for case .sessionEnded(let event) in events { sessionEndings.report(event.session) }
        for case .phoneChangeRequested(let event) in events { duePhones.note(event.account, at: event.holdsAt) }
        let erased = events.compactMap { if case .accountErased(let event) = $0 { event.account } else { nil } }
        let holders = Self.closedShops(in: acceptance.facts).map(\.keyHolder) + erased
        if !holders.isEmpty { resumeErasing(holders) }
    }

    /// Retries until the keys are destroyed or the service has ended.
    private func resumeErasing(_ holders: [AccountID]) {
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
