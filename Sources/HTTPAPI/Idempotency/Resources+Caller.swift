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

    /// Refuses whoever has spent a budget, but for a request that was accepted before: asking for its answer again is no attempt.
    func check(_ budget: FailureBudget<AccountID>, for caller: Caller) throws {
        do throws(Problem) {
            try budget.check(caller.account)
        } catch {
            guard try service.isAnswered(caller) else { throw error }
        }
    }
}
