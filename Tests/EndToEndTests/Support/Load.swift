import Foundation
import Synchronization

/// Customers who stamp as fast as they get answers, each with a thread and a connection, until the server is gone or time is up.
struct Load: Sendable {
    static let customers = 6

    let record: LoadRecord
    /// The name of this load. The idempotency keys of its requests begin with this name, so that they differ from the keys of other loads
    /// on the same data.
    let name: String

    /// Runs until every customer has lost the connection to the server, or for `seconds`.
    ///
    /// - Parameter isRefusalAllowed: true if an answer other than 201 only stops that customer instead of failing the test.
    func run(_ customers: [Client], at counter: Counter, on server: Server, seconds: Double, isRefusalAllowed: Bool = false) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        let (token, campaign, shop) = (counter.owner, counter.campaign, counter.shop)
        let clerks = customers.map { _ in Counter(owner: token.moved(to: server), shop: shop, campaign: campaign) }
        let places = Mutex(customers.indices.map { (customers[$0], clerks[$0].owner) })
        _ = try inParallel(customers.count) { number in
            let (customer, clerk) = places.withLock { $0[number] }
            let counter = Counter(owner: clerk, shop: shop, campaign: campaign)
            var visits = 0
            while Date() < deadline {
                visits += 1
                guard try visit(number, visits, customer, counter, isRefusalAllowed) else { return }
            }
        }
    }

    /// Issues a code and submits it.
    ///
    /// - Returns: false if the customer must stop, because the server is gone or refused the stamp.
    private func visit(_ number: Int, _ time: Int, _ customer: Client, _ counter: Counter, _ isRefusalAllowed: Bool) throws -> Bool {
        let stamps = 1 + (number + time) % 3
        guard let code = try? counter.code(stamps: stamps) else { return false }
        let visit = LoadRecord.Visit(customer: number, key: "\(name)-\(number)-\(time)", code: code.code, stamps: stamps)
        record.begin(visit)
        guard let answer = try? customer.stamp(visit.code, key: visit.key) else { return false }
        guard answer.status == 201 else {
            if isRefusalAllowed { return false }
            throw TestFailure("\(answer.status) to a stamp: \(answer.text)")
        }
        record.acknowledge(visit, answer)
        return true
    }
}
