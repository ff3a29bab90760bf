import CommandService
import Foundation
import Loyalty
import LoyaltyCodec

/// Durable `Stamp` commands in process, beside a bare writer thread over raw LMDB that answers as many tasks, and UmaDB.
struct CommandBench {
    let sizes: Sizes
    let folder: String
    let umadb: String?

    func run(into report: inout Report) async throws {
        let shop = try await BenchShop.open(in: folder + "/commands", customers: 1_024)
        for callers in sizes.callers {
            let count = callers == 1 ? max(1, sizes.stamps / 10) : sizes.stamps
            var stamps: [Double] = []
            var processor: [Double] = []
            var raw: [Double] = []
            for round in 0..<sizes.rounds {
                let (rate, microseconds) = try await stampRate(in: shop, callers: callers, count: count)
                stamps.append(rate)
                processor.append(microseconds)
                raw.append(try await RawWriter.rate(in: folder + "/raw-\(callers)-\(round)", callers: callers, count: count))
            }
            report.add(Self.row(callers), "stamps/s", stamps)
            report.add("  processor time of each, all threads and the caller's own", "µs", processor)
            report.add("raw LMDB writer thread, \(callers) tasks", "appends/s", raw)
            report.addRatio("stamps : raw writer, \(callers)", of: Self.row(callers), to: "raw LMDB writer thread, \(callers) tasks")
        }
        try close(shop.service)
        try measureUmaDB(into: &report)
    }

    private static func row(_ callers: Int) -> String { "durable stamps in process, \(callers) callers" }

    /// Stamps a second, and microseconds of processor time that each took in this process.
    private func stampRate(in shop: BenchShop, callers: Int, count: Int) async throws -> (Double, Double) {
        let codes = try await shop.issue(count)
        let before = clock()
        let elapsed = try await seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask { try await Self.stamp(codes, from: caller, every: callers, in: shop) }
                }
                try await group.waitForAll()
            }
        }
        return (Double(count) / elapsed, Double(clock() - before) / Double(count))
    }

    /// What one caller does: its share of the codes, one after the other, each with an idempotency key as a client sends it.
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
        let python = URL(fileURLWithPath: umadb).deletingLastPathComponent().appendingPathComponent("python").path
        let output = try output(of: python, ["Tools/umadb-baseline", "--server", umadb, "--writers", "1,64", "--seconds", "5"])
        guard let figures = try JSONSerialization.jsonObject(with: output) as? [String: Double] else { throw BenchError.unexpected }
        for (writers, figure) in figures.sorted(by: { $0.key < $1.key }) {
            report.add("UmaDB, \(writers) writers of one event", "appends/s", [figure])
        }
        report.addRatio("stamps : UmaDB, 64", of: Self.row(64), to: "UmaDB, 64 writers of one event", target: 4)
    }
}
