import Foundation
import Testing

/// The conditions that must hold after a load and a restart.
enum Truth {
    /// Checks the stamps of a load. Each acknowledged stamp is requested again and must get its original answer. Each interrupted request
    /// must get an answer now. The cards must have each stamp exactly once.
    static func expect(_ record: LoadRecord, with customers: [Client]) throws {
        for (visit, answer) in record.acknowledged { try expectOldAnswer(answer, to: visit, with: customers) }
        for visit in record.inFlight { record.acknowledge(visit, try retry(visit, with: customers)) }
        for (number, customer) in customers.enumerated() {
            let due = record.acknowledged.keys.filter { $0.customer == number }.reduce(0) { $0 + $1.stamps }
            #expect(try customer.stamps() == due, "stamps of customer \(number)")
        }
    }

    private static func expectOldAnswer(_ answer: Answer, to visit: LoadRecord.Visit, with customers: [Client]) throws {
        let again = try customers[visit.customer].stamp(visit.code, key: visit.key)
        #expect(again.status == answer.status && again.body == answer.body, "\(visit.key)")
    }

    private static func retry(_ visit: LoadRecord.Visit, with customers: [Client]) throws -> Answer {
        let answer = try customers[visit.customer].stamp(visit.code, key: visit.key)
        let body: StampBody = try answer.read(status: 201)
        #expect(body.added == visit.stamps)
        return answer
    }
}
