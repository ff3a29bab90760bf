import Foundation
import Seeds
import Testing

extension EndToEnd {
    /// `kill -9` under load: every acknowledged stamp is present exactly once afterwards.
    @Suite struct KillTests {
        /// Kills the server `GREENTEA_KILLS` times, 20 by default. All rounds use one folder, so each server starts with the files that a
        /// killed one left behind.
        @Test("Every acknowledged stamp survives each kill of the server, and none is counted twice")
        func survivesKills() throws {
            let folder = try TemporaryFolder()
            let kills = ProcessInfo.processInfo.environment["GREENTEA_KILLS"].flatMap { Int($0) } ?? 20
            let record = LoadRecord()
            var (counter, customers) = (Counter?.none, [Client]())
            for round in 0..<kills {
                let server = try Server(data: folder.data, in: folder)
                if round == 0 { (counter, customers) = try Self.begin(at: server) }
                let here = customers.map { $0.moved(to: server) }
                if let counter { try Self.killUnderLoad(round, record, here, counter, server) }
                try Self.expectRecovery(of: record, customers, in: folder)
            }
            print("\(record.acknowledged.count) stamps over \(kills) kills")
            #expect(record.acknowledged.count > kills)
            let server = try Server(data: folder.data, in: folder)
            try Truth.expect(record, with: customers.map { $0.moved(to: server) })
            #expect(try server.stop() == 0)
            try ReplayTests.expectOneDigest(of: folder)
        }

        private static func begin(at server: Server) throws -> (Counter, [Client]) {
            let counter = try Counter.open(at: server, goal: 5)
            let customers = try (1...Load.customers).map { number in
                let client = server.client
                try client.signIn(number)
                return client
            }
            return (counter, customers)
        }

        private static func killUnderLoad(
            _ round: Int, _ record: LoadRecord, _ customers: [Client], _ counter: Counter, _ server: Server
        ) throws {
            let pid = server.program.pid
            var random = SeededRandom.announced("survivesKills \(round)")
            let enough = record.acknowledged.count + random.int(1...60)
            Thread.detachNewThread {
                // The kill comes shortly after a random number of stamps, or after a minute if the load never makes that many.
                let deadline = Date(timeIntervalSinceNow: 60)
                while record.acknowledged.count < enough, Date() < deadline { Thread.sleep(forTimeInterval: 0.000_5) }
                kill(pid, SIGKILL)
            }
            try Load(record: record, name: "round\(round)").run(customers, at: counter, on: server, seconds: 30)
            #expect(try server.program.wait() == -SIGKILL)
        }

        /// Retries the interrupted requests with their keys; then the outcome of every request is known.
        private static func expectRecovery(of record: LoadRecord, _ customers: [Client], in folder: TemporaryFolder) throws {
            let server = try Server(data: folder.data, in: folder)
            let here = customers.map { $0.moved(to: server) }
            for visit in record.inFlight {
                let answer = try here[visit.customer].stamp(visit.code, key: visit.key)
                #expect(answer.status == 201, "\(visit.key): \(answer.text)")
                record.acknowledge(visit, answer)
            }
            for (number, customer) in here.enumerated() {
                let due = record.acknowledged.keys.filter { $0.customer == number }.reduce(0) { $0 + $1.stamps }
                #expect(try customer.stamps() == due, "stamps of customer \(number)")
            }
            server.kill()
        }
    }
}
