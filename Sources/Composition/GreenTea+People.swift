public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Requests another number for an account. The caller MUST be an operator.
    ///
    /// - Parameter tell: tells the present number before anything is recorded; not called for a retry, nor while another request changes
    ///   the number or the account.
    public func requestPhoneChange(
        of account: AccountID, to phone: E164Number, reason: String, by caller: Caller,
        telling tell: (E164Number) async throws -> Void = { _ in }
    ) async throws -> Acceptance {
        if let mark = caller.mark, let earlier = try reading({ try $0.facts(ofRequest: mark.request) }) {
            try requireSame(earlier.facts, phone)
            // The writer answers a retry by its key. A retry must not claim the number, which another account may have by now.
            let retry = RequestPhoneChange(account: account, sealedPhone: Sealed([]), reason: .clear(""))
            let acceptance = try await submit(.requestPhoneChange(retry), by: caller)
            noteDue(acceptance)
            return acceptance
        }
        guard let known = try reading({ try $0.account(account) }), let present = try self.phone(of: known) else {
            throw ServiceError.rejected(.notFound)
        }
        let command = RequestPhoneChange(
            account: account, sealedPhone: try seal(phone.text, as: .phone, of: account),
            reason: try sealed(.clear(reason), about: account), dueBy: forward.passed())
        guard present != phone, try isFree(phone, for: account) else { throw Self.takenPhone }
        var untold: (any Error)?
        let asked: Acceptance?
        do throws(ServiceError) {
            asked = try await change(account, to: phone, displacing: false) { () throws(ServiceError) -> Acceptance in
                // A request that finds the locks held is repeated, and must not send a message each time.
                do { try await tell(present) } catch {
                    untold = error
                    throw ServiceError.overloaded
                }
                let acceptance = try await submit(.requestPhoneChange(command), by: caller)
                noteDue(acceptance)
                return acceptance
            }
        } catch {
            if let untold { throw untold }
            throw error
        }
        guard let asked else { throw Self.takenPhone }
        return asked
    }

    private func noteDue(_ acceptance: Acceptance) {
        for case .phoneChangeRequested(let event) in acceptance.facts.lazy.map(\.event) {
            duePhones.note(event.account, at: event.holdsAt)
        }
    }

    /// The earlier request had the same number; any number passes once the account's key is destroyed.
    private func requireSame(_ facts: [Fact], _ phone: E164Number) throws(ServiceError) {
        let asked = facts.lazy.compactMap { fact -> PhoneChangeRequested? in
            if case .phoneChangeRequested(let event) = fact.event { event } else { nil }
        }.first
        guard let asked else { throw .idempotencyKeyReused }
        let number = try open(asked.sealedPhone, as: .phone, of: asked.account)
        guard number == nil || number == phone.text else { throw .idempotencyKeyReused }
    }

    private static let takenPhone = ServiceError.rejected(.invalid([InvalidField(field: "phone", fault: .taken)]))

    public func objectToPhoneChange(by caller: Caller) async throws(ServiceError) -> Acceptance {
        let account = try reading { try $0.account(caller.account) }
        return try await alone(with: caller.account) { () throws(ServiceError) in
            try await submit(.objectToPhoneChange(ObjectToPhoneChange()), by: caller, at: account.flatMap { commandTime(for: $0) })
        }
    }

    /// All sessions of the account end. Nil if none is due.
    func completePhoneChange(of account: Account) async throws(ServiceError) -> Acceptance? {
        guard account.comingPhone?.holds(at: phoneTime(of: account)) == true else { return nil }
        return try await alone(with: account.id) { () throws(ServiceError) in
            try await submit(.completePhoneChange(CompletePhoneChange()), by: Caller(account: account.id), at: forward.passed())
        }
    }

    /// The old number stays claimed until then. `other` is an account whose lock the caller holds.
    func completePhoneChange(from number: String, besides other: AccountID? = nil) async throws(ServiceError) {
        guard let holder = try claimant(of: number), holder != other, let known = try reading({ try $0.account(holder) }) else { return }
        _ = try await completePhoneChange(of: known)
    }

    public func completePhoneChange(ofSession id: SessionID) async throws(ServiceError) -> Acceptance? {
        let account = try reading { past in try past.session(id).flatMap { try past.account($0.account) } }
        guard let account else { return nil }
        return try await completePhoneChange(of: account)
    }

    /// The caller MUST be an operator; the search is recorded.
    public func searchAccount(_ phone: E164Number, by caller: Caller) async throws(ServiceError) -> (account: Account?, Acceptance) {
        let found = try account(ofPhone: phone)
        return (found, try await submit(.noteSearch(NoteSearch(found: found?.id)), by: caller))
    }

    /// The caller MUST be an operator. An operator's account is not suspended.
    public func suspendAccount(_ account: AccountID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        // A retry gets the first answer, even if the account was erased since.
        if try !isAnswered(caller) {
            guard let known = try reading({ try $0.account(account) }) else { throw .rejected(.notFound) }
            guard !isOperator(known) else { throw .rejected(.forbidden) }
        }
        let command = SuspendAccount(account: account, reason: try sealed(.clear(reason), about: account))
        return try await submit(.suspendAccount(command), by: caller)
    }

    /// The caller MUST be an operator.
    public func reinstateAccount(_ account: AccountID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let command = ReinstateAccount(account: account, reason: try sealed(.clear(reason), about: account))
        return try await submit(.reinstateAccount(command), by: caller)
    }
}
