import Foundation
import Testing

extension EndToEnd {
    /// `greentea-replay chart` on an imported history of a till.
    @Suite struct ChartTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized
            .path
        private static let coffee = URL(fileURLWithPath: root + "/../shared/data/coffee-visits.csv").standardized.path
        private static let golden = root + "/Fixtures/charts/retention-coffee.svg"

        private static func imported(_ file: String, in folder: TemporaryFolder, goal: Int) throws {
            let program = try Program(
                "greentea", ["import", "--data", folder.data, "--visits", file, "--shop", "Coffee", "--goal", "\(goal)", "--redeem"],
                in: folder)
            #expect(try program.wait(seconds: 600) == 0, "\(program.errors)")
        }

        /// `GREENTEA_RECORD=1` rewrites the golden file in this test; `Tools/retention-chart` rewrites it outside the tests.
        @Test(
            "The coffee shop's chart of retention equals the golden file",
            .enabled(if: FileManager.default.fileExists(atPath: coffee), "../shared/data is not there"))
        func coffeeShop() throws {
            let folder = try TemporaryFolder()
            try Self.imported(Self.coffee, in: folder, goal: 10)
            let picture = folder.file("retention.svg")
            let drawn = try Program.run(
                "greentea-replay", "chart", "retention", "--data", folder.data, "--time-zone", "UTC", "--svg", picture, in: folder)
            #expect(drawn.status == 0, "\(drawn.errors)")
            let svg = try String(contentsOfFile: picture, encoding: .utf8)
            if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1" {
                try svg.write(toFile: Self.golden, atomically: true, encoding: .utf8)
            }
            #expect(try String(contentsOfFile: Self.golden, encoding: .utf8) == svg)
        }

        /// Imports eight customers who start one week apart, each with a different interval between visits.
        private static func small(in folder: TemporaryFolder) throws {
            var lines: [String] = []
            for week in 0..<10 {
                for customer in 0..<8 where week >= customer && (week - customer) % (customer + 1) == 0 {
                    let (months, day) = (7 * week).quotientAndRemainder(dividingBy: 28)
                    lines.append("2024-0\(1 + months)-\(String(format: "%02d", 1 + day))T09:00:00Z,guest \(customer)")
                }
            }
            let file = folder.file("visits.csv")
            try (["visited_at,customer"] + lines).joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
            try imported(file, in: folder, goal: 3)
        }

        @Test("A chart that is drawn again has the same bytes, and every chart is printed as JSON and as text")
        func reproducible() throws {
            let folder = try TemporaryFolder()
            try Self.small(in: folder)
            let published = try Program.run("greentea-replay", "--data", folder.data, "--type", "CampaignPublished", in: folder)
            let campaign = try #require(published.output.firstMatch(of: /camp_[0-9a-z]{26}/)).output
            for kind in ["retention", "curve", "fill", "abandonment", "effect"] {
                var pictures: Set<String> = []
                for number in 0..<2 {
                    let picture = folder.file("\(kind)-\(number).svg")
                    let more = kind == "effect" ? ["--campaign", String(campaign), "--weeks", "2"] : []
                    let program = try Program(
                        "greentea-replay", ["chart", kind, "--data", folder.data, "--format", "json", "--svg", picture] + more, in: folder)
                    #expect(try program.wait() == 0, "\(program.errors)")
                    let json = try JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any]
                    #expect(json?[kind] is [String: Any] && json?["timeZone"] as? String == "Asia/Shanghai")
                    pictures.insert(try String(contentsOfFile: picture, encoding: .utf8))
                    let text = try Program("greentea-replay", ["chart", kind, "--data", folder.data] + more, in: folder)
                    #expect(try text.wait() == 0 && text.output.contains("2024-0"))
                }
                #expect(pictures.count == 1 && pictures.first?.hasSuffix("</svg>\n") == true)
            }
        }

        @Test("A report from a day begins with it and ends with the last visit, or is refused as too long")
        func fromDay() throws {
            let folder = try TemporaryFolder()
            try Self.small(in: folder)
            func chart(_ from: String) throws -> Finished {
                try Program.run("greentea-replay", "chart", "retention", "--data", folder.data, "--from", from, in: folder)
            }
            let (some, first, future) = (try chart("2024-02-01"), try chart("2022-03-02"), try chart("2025-01-01"))
            #expect(some.status == 0 && some.output.hasPrefix("2024-02-01 to 2024-03-08  visits "), "\(some)")
            #expect(first.status == 0 && first.output.hasPrefix("2022-03-02 to 2024-03-08  visits "), "\(first)")
            #expect(future.status == 0 && future.output.hasPrefix("2025-01-01 to 2025-01-01  visits 0 "), "\(future)")
            let tooEarly = try chart("2022-03-01")
            #expect(tooEarly.status == 2 && tooEarly.output.isEmpty, "\(tooEarly)")
            #expect(tooEarly.errors.contains("from 2022-03-01 to 2024-03-08") && tooEarly.errors.contains("--to"), "\(tooEarly.errors)")
        }

        @Test("A wrong argument of a chart is a usage error, and an error about a missing object names it")
        func wrongArguments() throws {
            let folder = try TemporaryFolder()
            try Self.small(in: folder)
            for arguments in [
                ["pie"], ["effect"], ["fill", "--campaign", "camp_00000000000000000000000000"], ["fill", "--time-zone", "Mars"],
                ["fill", "--idle-days", "0"], ["fill", "--weeks", "99"], ["fill", "--from", "2024-02-30"], ["fill", "--shop", "tea"],
                ["fill", "--from", "2020-01-01", "--to", "2024-01-01"], ["fill", "--from", "2024-02-02", "--to", "2024-02-01"],
            ] {
                let program = try Program("greentea-replay", ["chart"] + arguments + ["--data", folder.data], in: folder)
                #expect(try program.wait() == 64, "\(arguments)")
            }
            for (arguments, word) in [
                (["fill", "--shop", "shop_00000000000000000000000000"], "--shop"), (["fill", "--until", "1"], "no shop"),
                (["effect", "--campaign", "camp_00000000000000000000000000"], "CampaignPublished"),
                (["fill", "--svg", folder.file("none/chart.svg")], "none/chart.svg"),
            ] {
                let program = try Program("greentea-replay", ["chart"] + arguments + ["--data", folder.data], in: folder)
                #expect(try program.wait() == 2, "\(arguments)")
                #expect(program.errors.contains(word), "\(program.errors)")
            }
        }
    }
}
