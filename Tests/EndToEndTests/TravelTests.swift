import Foundation
import Testing

extension EndToEnd {
    /// Questions about the past on the command line, beside a running server.
    @Suite struct TravelTests {
        @Test("Queries of the past, diffs and snapshots work beside a running server and after its end")
        func queriesOfPast() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            var card = ""
            for time in 1...3 {
                let stamped: StampBody = try customer.stamp(try counter.code().code, key: "visit-\(time)").read(status: 201)
                card = stamped.card.id
            }
            #expect(try customer.send("POST", "/v1/shops/\(counter.shop)/reviews", json: #"{"rating":5}"#).status == 201)
            try Self.expectAnswers(card, counter.shop, folder)
            #expect(try server.stop() == 0)
            try Self.expectAnswers(card, counter.shop, folder)
        }

        private static func expectAnswers(_ card: String, _ shop: String, _ folder: TemporaryFolder) throws {
            let data = ["--data", folder.data]
            let lines = try run(data + ["--tag", "card:\(card)"], folder).lines
            let events = lines.compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(events.count == 4, "the card was opened, and stamped three times")
            let then = try run(data + ["--at", events[2], "card", card], folder)
            #expect(then.status == 0 && then.lines.contains { $0.contains("stamps") && $0.hasSuffix(" 2") }, "\(then)")
            #expect(try run(["at"] + data + ["--at", events[2], "card", card], folder).output == then.output)
            #expect(try run(data + ["--at", "1", "card", card], folder).status == 1, "the card does not exist yet")
            let now = "2999-01-01T00:00:00Z"
            for words in [["shop", shop], ["ratings"], ["ratings", shop], ["statistics", shop]] {
                let answer = try run(data + ["--at", now, "--format", "jsonl"] + words, folder)
                #expect(answer.status == 0 && !answer.lines.isEmpty, "\(words): \(answer.errors)")
                for line in answer.lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            }
            let same = try run(data + ["--diff", events[3], events[3]], folder)
            #expect(same.status == 0 && same.output.contains("nothing changed"), "\(same)")
            let diff = try run(data + ["--diff", events[0], events[3]], folder)
            #expect(diff.status == 0 && diff.output.contains("card-progress cards  added 0  removed 0  changed 1"), "\(diff)")
            let ofCard = try run(data + ["--diff", events[0], events[3], "card", card], folder)
            #expect(ofCard.status == 0 && ofCard.output.contains("0  →  3"), "\(ofCard)")
            #expect(try run(["diff"] + data + [events[0], events[3], "card", card], folder).output == ofCard.output)
            try expectSnapshots(data, ["--at", events[3], "card", card], folder)
        }

        /// Checks that an answer has the same bytes without snapshots, with snapshots, and with a damaged snapshot. `snapshots --check`
        /// finds the damage and exits with 1.
        private static func expectSnapshots(_ data: [String], _ question: [String], _ folder: TemporaryFolder) throws {
            let before = try run(data + question, folder)
            let made = try run(["snapshots"] + data + ["--every", "3"], folder)
            #expect(made.status == 0 && made.lines.count > 1 && made.lines.allSatisfy { $0.hasSuffix("usable") }, "\(made)")
            #expect(try run(data + question, folder).output == before.output)
            let equal = try run(["snapshots"] + data + ["--check"], folder)
            #expect(equal.status == 0 && equal.lines.allSatisfy { $0.hasSuffix("equal to the log") }, "\(equal)")
            let shelf = folder.data + "/derived/snapshots"
            let last = try #require(try FileManager.default.contentsOfDirectory(atPath: shelf).sorted().last)
            let table = URL(filePath: shelf + "/" + last + "/card-progress.cards")
            var bytes = try Data(contentsOf: table)
            bytes[bytes.startIndex] ^= 1
            try bytes.write(to: table)
            let check = try run(["snapshots"] + data + ["--check"], folder)
            #expect(check.status == 1 && check.output.contains("damaged"), "\(check)")
            #expect(try run(data + question, folder).output == before.output)
            try FileManager.default.createDirectory(atPath: shelf + "/a \"b\".partial", withIntermediateDirectories: false)
            let pruned = try run(["snapshots"] + data + ["--prune", "--format", "jsonl"], folder)
            let names = try pruned.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String] }
            #expect(names == [["removed": last], ["removed": "a \"b\".partial"]], "\(pruned)")
            #expect(try run(["snapshots"] + data + ["--prune", "--all"], folder).status == 0)
        }

        private static func run(_ arguments: [String], _ folder: TemporaryFolder) throws -> Finished {
            let program = try Program("greentea-replay", arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        @Test(
            "A wrong argument of a query of the past is a usage error with a message",
            arguments: [
                ["card", "card_1"], ["--at", "5"], ["--at", "5", "card", "nonsense"], ["--at", "soon", "ratings"], ["--diff", "1"],
                ["--diff", "1", "2", "ratings"], ["--at", "1", "--diff", "1", "2"], ["--at", "1", "--digest", "ratings"],
                ["--at", "1", "--time-zone", "Here", "ratings"], ["--at", "1", "--from", "2026-02-02", "--to", "2026-02-01", "ratings"],
            ])
        func wrongUseIsNamed(arguments: [String]) throws {
            let folder = try TemporaryFolder()
            let program = try Program("greentea-replay", ["--data", folder.data] + arguments, in: folder)
            #expect(try program.wait() == 64)
            #expect(!program.errors.isEmpty)
        }
    }
}
