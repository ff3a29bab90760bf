import Foundation
import Synchronization

/// Customers that stamp as fast as they are answered, each on a thread and a connection of its own, until the server is gone or
/// they are told to stop.
struct Load: Sendable {
    static let customers = 6

    let record: LoadRecord
    /// Distinguishes the keys of one load from those of another on the same data.
    let name: String

    /// Runs until every customer has lost the server, or `seconds` are over.
    ///
    /// - Parameter isRefusalAllowed: whether an answer that is no 201 ends a customer's day instead of the test.
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

    /// One code and its stamp.
    ///
    /// - Returns: false when the server is gone.
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
