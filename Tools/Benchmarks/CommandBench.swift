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
        let (row, raw) = (Self.row(callers), "raw LMDB writer thread, \(callers) tasks")
        for round in 0..<sizes.rounds {
            report.append(try await Self.rate(of: shop, callers: callers, count: count), to: row, "stamps/s")
            let rate = try await RawWriter.rate(in: folder + "/raw-\(callers)-\(round)", callers: callers, count: count)
            report.append(rate, to: raw, "appends/s")
        }
        report.addRatio("stamps : raw writer, \(callers)", of: row, to: raw)
    }

    private static func row(_ callers: Int) -> String { "durable stamps in process, \(callers) callers" }

    /// Stamps per second, from the first submission to the last answer.
    static func rate(of shop: BenchShop, callers: Int, count: Int) async throws -> Double {
        let codes = try await shop.issue(count)
        let elapsed = try await seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask {
                        for index in stride(from: caller, to: codes.count, by: callers) {
                            try await shop.stamp(codes[index], byCustomer: caller)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return Double(count) / elapsed
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
