import CommandService
import Composition
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The client's name for one write (draft-ietf-httpapi-idempotency-key-header), 1 to 255 visible ASCII characters.
struct IdempotencyKey: Hashable, Sendable {
    let text: String

    init?(optionalIn request: Request) throws {
        guard let text = request.headers.text(of: .idempotencyKey) else { return nil }
        guard Limits.idempotencyKeyCharacters.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem.invalid("", .header("Idempotency-Key", Limits.idempotencyKeyCharacters))
        }
        self.text = text
    }
}

/// A signed-in write with its idempotency key. A class because of the fault of Swift 6.3.1 described at ``NamedShop``.
final class Write: Sendable {
    let bearer: SignedInAs
    private let key: IdempotencyKey?
    private let keys: Keys

    fileprivate init(_ bearer: SignedInAs, _ key: IdempotencyKey?, _ keys: Keys) {
        (self.bearer, self.key, self.keys) = (bearer, key, keys)
    }

    var account: AccountID { bearer.account }
    var hasKey: Bool { key != nil }

    /// The sender of a command, with the key bound to the operation and its values. Logs keep their hash, so they MUST NOT change.
    func caller<each Value: CanonicalValue>(_ operation: String, _ values: repeat each Value) -> Caller {
        caller(CanonicalRequest(operation, repeat each values))
    }

    func caller(_ content: @autoclosure () -> CanonicalRequest) -> Caller {
        guard let key else { return Caller(account: account) }
        return Caller(account: account, mark: keys.mark(account: account, key: key.text, content: content().bytes))
    }
}

/// The sender of a request whose answer is made for its time of acceptance. A class because of the fault of Swift 6.3.1 described at
/// ``NamedShop``.
final class RequestSender: Sendable {
    let caller: Caller

    init(_ caller: Caller) { self.caller = caller }
}

extension Resources {
    func write(_ request: Request, requiresKey: Bool = false) async throws -> Write {
        let bearer = try await gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        guard key != nil || !requiresKey else { throw Problem(.idempotencyKeyRequired) }
        return Write(bearer, key, service.keys)
    }

    func operatorWrite(_ request: Request) async throws -> Write {
        Write(try await gate.admitOperator(request), try IdempotencyKey(optionalIn: request), service.keys)
    }

    /// A route whose command follows from its path and its sender alone, and whose answer is 204.
    ///
    /// - Parameter command: reads the path's ids in their order, which is that of the content to which an idempotency key is bound.
    func act(
        _ method: HTTPRequest.Method, _ path: String, counting budget: AccountBudget? = nil,
        _ command: @escaping @Sendable (inout ActRequest) throws -> Command
    ) -> Route {
        Route(method: method, path: path) { request, context in
            let write = try await write(request)
            var act = ActRequest(context, by: write.account, content: CanonicalRequest(Route.operation(method, path)))
            let command = try command(&act)
            let caller = write.caller(act.content)
            guard let budget else { return .done(try await service.submit(command, by: caller)) }
            return .done(try await counted(budget, by: caller) { try await service.submit(command, by: caller) })
        }
    }

    /// The time of the last event or, if nothing changed, of acceptance, so that a retry gets the same answer.
    func time(of acceptance: Acceptance, by sender: RequestSender) -> Instant {
        acceptance.facts.last?.time ?? service.timeOfUnchanging(sender.caller) ?? now
    }

    /// Begins an attempt, which uses up the budget if it is ended as failed. A retry of an accepted request always passes. Returns whether
    /// an attempt was begun, which MUST be ended.
    ///
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

    /// Submits a command, which uses up the caller's budget unless it is refused, is a retry or changes nothing.
    ///
    /// - Throws: `rateLimited`, and the errors of `submit`.
    func counted(_ name: AccountBudget, by caller: Caller, _ submit: () async throws -> Acceptance) async throws -> Acceptance {
        let budget = budgets[name]
        let isBegun = try await begin(caller.account, of: budget, for: caller)
        var hasChanged = false
        defer { if isBegun { budget.end(caller.account, failed: hasChanged) } }
        let acceptance = try await submit()
        hasChanged = !acceptance.isReplay && !acceptance.facts.isEmpty
        return acceptance
    }

    /// `idempotencyKeyReused` if the key was already used for another request.
    func refusal(_ code: ProblemCode, of caller: Caller) throws -> Problem {
        Problem(try service.isAnswered(caller) ? .idempotencyKeyReused : code)
    }
}

struct ActRequest {
    let sender: AccountID
    private let context: APIContext
    fileprivate private(set) var content: CanonicalRequest

    fileprivate init(_ context: APIContext, by sender: AccountID, content: CanonicalRequest) {
        (self.context, self.sender, self.content) = (context, sender, content)
    }

    /// - Throws: `notFound` for a text that is not an id of this kind.
    mutating func id<Noun: Identified>(_ name: String = "id") throws(Problem) -> ID<Noun> {
        let id = try context.id(Noun.self, named: name)
        content.add(id.value)
        return id
    }
}

/// A request's content independent of its spelling: the operation and each field's value. Lengths stand before texts, so that two texts
/// cannot be read as one.
struct CanonicalRequest {
    private(set) var bytes: [UInt8] = []

    /// - Parameter operation: the method and the route, such as `POST /v1/stamps`.
    init<each Value: CanonicalValue>(_ operation: String, _ values: repeat each Value) {
        bytes.reserveCapacity(64)
        add(operation)
        repeat (each values).add(to: &self)
    }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ content: [UInt8]) {
        add(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    /// An absent and an empty value make different requests.
    mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1 as UInt64)
        if let text { add(text) }
    }

    mutating func add(_ number: Int?) {
        add(number == nil ? 0 : 1 as UInt64)
        if let number { add(UInt64(bitPattern: Int64(number))) }
    }

    mutating func add(_ number: Double) { add(number.bitPattern) }

    mutating func add(_ number: UInt128) {
        add(UInt64(truncatingIfNeeded: number >> 64))
        add(UInt64(truncatingIfNeeded: number))
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }
}

protocol CanonicalValue {
    func add(to request: inout CanonicalRequest)
}

extension ID: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(value) }
}

extension String: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(self) }
}

extension Int: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(self) }
}

extension UInt128: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(self) }
}

extension CanonicalRequest {
    /// Each of the three kinds of change makes a different request.
    mutating func add<Value>(_ change: Change<Value>, _ addValue: (inout CanonicalRequest, Value) -> Void) {
        switch change {
        case .unchanged: add(0 as UInt64)
        case .removed: add(1 as UInt64)
        case .set(let value):
            add(2 as UInt64)
            addValue(&self, value)
        }
    }
}
