import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The client's own name for one write (draft-ietf-httpapi-idempotency-key-header), 1 to 255 visible ASCII characters.
struct IdempotencyKey: Hashable, Sendable {
    let text: String

    /// The key of the request, if it has one.
    init?(optionalIn request: Request) throws {
        guard let text = request.headers.text(of: .idempotencyKey) else { return nil }
        guard Limits.idempotencyKeyCharacters.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem.invalid("", .header("Idempotency-Key", Limits.idempotencyKeyCharacters))
        }
        self.text = text
    }

    /// The key of a request that must have one.
    init(requiredIn request: Request) throws {
        guard let key = try IdempotencyKey(optionalIn: request) else { throw Problem(.idempotencyKeyRequired) }
        self = key
    }
}

/// The sender of a request whose answer is made for the time at which the request was accepted. It is a class because of the fault of Swift
/// 6.3.1 that the comment on ``NamedShop`` describes.
final class RequestSender: Sendable {
    let caller: Caller

    init(_ caller: Caller) { self.caller = caller }
}

extension Resources {
    /// The sender of a request, with its idempotency key. The key is bound to the given content.
    func caller(_ bearer: SignedInAs, _ key: IdempotencyKey?, _ content: @autoclosure () -> CanonicalRequest) -> Caller {
        guard let key else { return Caller(account: bearer.account) }
        let mark = service.keys.mark(account: bearer.account, key: key.text, content: content().bytes)
        return Caller(account: bearer.account, mark: mark)
    }

    /// The time for which the answer to an accepted command is made: that of its last event. A command that changed nothing has no event,
    /// so the time at which it was accepted counts. Thus a retry gets the same answer.
    func time(of acceptance: Acceptance, by sender: RequestSender) -> Instant {
        acceptance.facts.last?.time ?? service.timeOfUnchanging(sender.caller) ?? now
    }

    /// Begins an attempt within a budget. If the attempt is ended as failed, it uses up a part of the budget. If the budget is used up, a
    /// retry of an accepted request still passes, because a retry is no attempt.
    ///
    /// - Returns: whether an attempt was begun; then it MUST be ended.
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

    /// The refusal of a request that cannot be made into a command. If its idempotency key was already used for another request, the
    /// refusal is `idempotencyKeyReused` instead of the given code.
    func refusal(_ code: ProblemCode, of caller: Caller) throws -> Problem {
        Problem(try service.isAnswered(caller) ? .idempotencyKeyReused : code)
    }
}
