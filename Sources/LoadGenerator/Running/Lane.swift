import Foundation

/// One connection's share of the town: it plays its customers in turn and holds every answer to the books.
struct Lane: Sendable {
    let caller: Caller
    let folk: Townsfolk
    let shops: [TownShop]
    let ledgers: Ledgers
    var customers: [Customer]
    var chance: Chance

    /// Acts until the time is over.
    mutating func run(_ schedule: Schedule, until end: ContinuousClock.Instant) async throws {
        while true {
            let due = schedule.next() ?? .now
            guard due < end, ContinuousClock.now < end else { return }
            if due > .now { try await Task.sleep(until: due, tolerance: .zero, clock: .continuous) }
            let act = Act(percentile: Int(chance.next() % 100))
            let customer = Int(chance.next() % UInt64(customers.count))
            try await play(act, customer, due)
        }
    }

    private mutating func play(_ act: Act, _ customer: Int, _ due: ContinuousClock.Instant) async throws {
        switch act {
        case .browse: try await browse(customer, due)
        case .readCard: try await readCard(customer, due)
        case .stamp: try await stamp(customer, due)
        case .issue: try await issue(due)
        case .redeemOrReview:
            if let (shop, card) = customers[customer].waitingReward {
                try await redeem(card, at: shop, customer, due)
            } else {
                try await review(customer, due)
            }
        }
    }

    /// Sends something in a customer's name, who signs in again where the token has expired.
    mutating func send(_ ask: Ask, as customer: Int, due: ContinuousClock.Instant = .now) async throws -> Answer {
        var ask = ask
        ask.token = customers[customer].token
        let answer = try await caller.send(ask, due: due)
        guard answer.status == 401 else { return answer }
        customers[customer].token = try await folk.signIn(customers[customer].phone)
        ask.token = customers[customer].token
        return try await caller.send(ask)
    }

    /// The answer's content where it has the status that it must have; a violation is reported where it has not.
    func content<Body: Decodable>(_ answer: Answer, _ status: Int, _ ask: Ask) -> Body? {
        guard answer.status == status, let body: Body = try? answer.read() else {
            ledgers.violations.report("\(ask.route) answered \(answer.status): \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
            return nil
        }
        return body
    }

    mutating func key() -> String { String(chance.next(), radix: 36) + String(chance.next(), radix: 36) }
}
