import Dispatch
import Foundation
import Patience
import Projections
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("The queue of reports", .timeLimit(.minutes(15)))
struct ReportQueueTests {
    /// Counts the reports that were requested, are being made or were made.
    private final class Counts: Sendable {
        private let state = Mutex((requested: 0, running: 0, most: 0, ended: 0))

        var requested: Int { state.withLock { $0.requested } }
        var running: Int { state.withLock { $0.running } }
        /// The highest number of reports that were being made at the same time.
        var most: Int { state.withLock { $0.most } }
        var ended: Int { state.withLock { $0.ended } }

        func request() { state.withLock { $0.requested += 1 } }

        func begin() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func end() {
            state.withLock { state in
                state.running -= 1
                state.ended += 1
            }
        }
    }

    @Test("Of reports that are requested at once, one is made at a time, and each requester gets its own or its error")
    func oneAtATime() async throws {
        let (queue, counts) = (ReportQueue(), Counts())
        let reports = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<16 {
                group.addTask {
                    counts.request()
                    let report = try await queue.make { () throws(ReadModelError) -> Int in
                        counts.begin()
                        // The first report ends only after all others were requested, so they could run beside it.
                        try? eventually("all reports were requested") { counts.requested == 16 }
                        counts.end()
                        return number
                    }
                    return (number, report)
                }
            }
            return try await group.reduce(into: [(Int, Int)]()) { $0.append($1) }
        }
        #expect(reports.count == 16 && reports.allSatisfy { $0.0 == $0.1 })
        #expect(counts.most == 1 && counts.ended == 16)
        let error = await #expect(throws: ReadModelError.self) {
            _ = try await queue.make { () throws(ReadModelError) -> Int in throw ReadModelError(.tooMuch, model: "made up", "rows") }
        }
        #expect(error?.code == .tooMuch)
    }

    @Test("While a report is made, the reports of every route wait for it, and other requests do not")
    func routes() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (queue, first, others) = (stage.api.resources.reports, Counts(), Counts())
            let gate = DispatchSemaphore(value: 0)
            // If an expectation below throws, the first report must not wait for ever.
            defer { gate.signal() }
            let paths =
                ["/v1/me/statistics"] + ["statistics", "analytics"].map { "/v1/shops/\(cast.shop)/\($0)" }
                + ["days", "customers"].map { "/shop/\(cast.shop)/numbers/\($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await queue.make { () throws(ReadModelError) -> Void in
                        first.begin()
                        try? gate.waitInTime("the test lets the report end")
                    }
                }
                try await eventually("the first report is being made") { first.running == 1 }
                for path in paths {
                    group.addTask {
                        others.begin()
                        let status = try await cast.owner.get(path).status
                        #expect(status == 200)
                        others.end()
                    }
                }
                try await eventually("the others were requested") { others.running == paths.count }
                for _ in 0..<10 {
                    let status = try await visitor.get("/v1/shops").status
                    #expect(status == 200)
                }
                #expect(others.ended == 0)
                gate.signal()
                try await group.waitForAll()
            }
            #expect(others.ended == paths.count)
        }
    }
}
