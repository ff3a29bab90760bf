import CommandService
import Composition
import Loyalty
import LoyaltyCodec

/// Measures durable `Stamp` commands in process. The baselines are a plain writer thread over raw LMDB with equally many tasks, and UmaDB.
struct CommandBench {
    let sizes: Sizes
    let folder: String
    let umadb: String?

    func run(into report: inout Report) async throws {
        let shop = try await BenchShop.open(in: folder + "/commands", customers: 1_024)
        for callers in sizes.callers { try await measure(shop, callers: callers, into: &report) }
        try close(shop.service)
        try measureUmaDB(into: &report)
    }

    private func measure(_ shop: BenchShop, callers: Int, into report: inout Report) async throws {
        let count = callers == 1 ? max(1, sizes.stamps / 10) : sizes.stamps
        var (stamps, raw): ([Double], [Double]) = ([], [])
        for round in 0..<sizes.rounds {
            stamps.append(try await stamp(in: shop, callers: callers, count: count))
            raw.append(try await RawWriter.rate(in: folder + "/raw-\(callers)-\(round)", callers: callers, count: count))
        }
        report.add(Self.row(callers), "stamps/s", stamps)
        report.add("raw LMDB writer thread, \(callers) tasks", "appends/s", raw)
        report.addRatio("stamps : raw writer, \(callers)", of: Self.row(callers), to: "raw LMDB writer thread, \(callers) tasks")
    }

    private static func row(_ callers: Int) -> String { "durable stamps in process, \(callers) callers" }

    /// Stamps per second, from the first submission to the last answer.
    private func stamp(in shop: BenchShop, callers: Int, count: Int) async throws -> Double {
        let codes = try await shop.issue(count)
        let elapsed = try await seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask { try await Self.stamp(codes, from: caller, every: callers, in: shop) }
                }
                try await group.waitForAll()
            }
        }
        return Double(count) / elapsed
    }

    /// Enters every `step`-th code from index `first`, each with an idempotency key.
    private static func stamp(_ codes: [TypedCode], from first: Int, every step: Int, in shop: BenchShop) async throws {
        let account = shop.customers[first % shop.customers.count]
        for index in stride(from: first, to: codes.count, by: step) {
            let text = codes[index].text
            let mark = shop.service.keys.mark(account: account, key: text, content: Array(text.utf8))
            let accepted = try await shop.service.stamp(codes[index], by: Caller(account: account, mark: mark))
            guard !accepted.cards.isEmpty else { throw BenchError.unexpected }
        }
    }

    private func measureUmaDB(into report: inout Report) throws {
        guard let umadb else { return }
        let figures = try UmaDBBaseline.figures(of: umadb, ["--writers", "1,64"])
        for (writers, figure) in figures.sorted(by: { $0.key < $1.key }) {
            report.add("UmaDB, \(writers) writers of one event", "appends/s", [figure])
        }
        report.addRatio("stamps : UmaDB, 64", of: Self.row(64), to: "UmaDB, 64 writers of one event", target: 4)
    }
}
