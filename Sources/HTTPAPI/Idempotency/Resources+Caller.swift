import CommandService
import Loyalty
import LoyaltyCodec

extension Resources {
    /// Who asks, and under which key; the key is bound to what is asked.
    func caller(_ bearer: SignedInAs, _ key: IdempotencyKey?, _ content: @autoclosure () -> CanonicalRequest) -> Caller {
        guard let key else { return Caller(account: bearer.account) }
        let mark = service.keys.mark(account: bearer.account, key: key.text, content: content().bytes)
        return Caller(account: bearer.account, mark: mark)
    }

    /// Begins an attempt against a budget. Where that is spent, a request that was accepted before goes on all the same: asking for its
    /// answer again is no attempt.
    ///
    /// - Returns: whether it was begun; then it MUST be ended.
    /// - Throws: `rateLimited`.
    func begin<Key>(_ key: Key, of budget: FailureBudget<Key>, for caller: Caller) async throws -> Bool {
        do throws(Problem) {
            try await budget.begin(key)
            return true
        } catch {
            guard try service.isAnswered(caller) else { throw error }
            return false
        }
    }

    /// What to say to a request that cannot be a command: its key may have been used, for one that was.
    func refusal(_ code: ProblemCode, of caller: Caller) throws -> Problem {
        Problem(try service.isAnswered(caller) ? .idempotencyKeyReused : code)
    }
}
