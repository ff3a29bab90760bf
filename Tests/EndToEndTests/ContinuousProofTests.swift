import Foundation
import Testing

extension EndToEnd {
    /// A server that continuously compares its read models with the log.
    @Suite struct ContinuousProofTests {
        /// The row changes while the server runs, because a start would notice the change.
        @Test("A row that changes under the server fails readiness, and server and tool explain the cause")
        func changedRow() throws {
            let folder = try TemporaryFolder()
            let (first, card) = try ReplayTests.story(in: folder)
            #expect(try first.stop() == 0)
            let server = try Server(data: folder.data, in: folder, options: ["--audit", "every:1s"])
            try ReplayTests.corruptCard(under: folder.data + "/derived/models")
            let client = server.client
            let red = try wait(for: { try client.send("GET", "/readyz") }, until: { $0.text.contains("modelMismatch") })
            #expect(red.text.contains(#"{"code":"modelMismatch","model":"card-progress"}"#), "\(red.text)")
            let metrics = try client.send("GET", "/metrics").text
            #expect(metrics.contains(#"greentea_audit_mismatches{model="card-progress"} 1"#))
            let said = try wait(for: { server.program.output + server.program.errors }, until: { $0.contains("why a read model") })
            for word in ["cause=rows", card, "CardStamped", "greentea-rebuild"] { #expect(said.contains(word), "\(word) in \(said)") }

            let text = try Program.run("greentea-replay", "--data", folder.data, "--compare", "--bisect", in: folder)
            #expect(text.status == 1)
            for word in ["different  changedRow card-progress cards \(card)", "  cause     rows", "CardStamped", "  remedy  "] {
                #expect(text.output.contains(word), "\(word) in \(text.output)\(text.errors)")
            }
            let others = try folder.models().count - 1
            #expect(text.lines.count { $0.hasPrefix("equal  ") } == others, "the other models are compared all the same: \(text.output)")
            let json = try Program.run("greentea-replay", "--data", folder.data, "--compare", "--bisect", "--format", "jsonl", in: folder)
            #expect(json.status == 1)
            let lines = try json.lines.map { try JSONDecoder().decode(Verdict.self, from: Data($0.utf8)) }
            let wrong = try #require(lines.first { $0.verdict == "different" })
            #expect(wrong.model == "card-progress" && wrong.diagnosis?.cause == "rows" && wrong.diagnosis?.type == "CardStamped")
            #expect(wrong.diagnosis?.key == card)
            #expect(try server.stop() == 0)
            let left = try? FileManager.default.contentsOfDirectory(atPath: folder.data + "/derived/audit")
            #expect(left ?? [] == [], "the auditor leaves no file behind")
        }

        @Test("Intact models pass every audit of a running server")
        func intactModels() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder, options: ["--audit", "every:1s"])
            _ = try Counter.open(at: server)
            let client = server.client
            let metrics = try wait(
                for: { try client.send("GET", "/metrics").text },
                until: { text in
                    !text.contains("greentea_audit_runs_total 0\n") && !text.contains("greentea_audit_runs_total 1\n")
                })
            #expect(metrics.contains("greentea_audit_runs_total "))
            let models = try folder.models()
            #expect(models.contains("card-progress") && models.contains("discovery"), "\(models)")
            for model in models {
                #expect(metrics.contains(#"greentea_audit_mismatches{model="\#(model)"} 0"#), "\(model)")
                #expect(metrics.contains(#"greentea_audit_failures{model="\#(model)"} 0"#), "\(model)")
            }
            #expect(try client.send("GET", "/readyz").status == 200)
            #expect(try server.stop() == 0)
        }

        @Test("The schedule of audits is set by a flag, a variable or the file, and a wrong one is refused")
        func auditSchedule() throws {
            let folder = try TemporaryFolder()
            func rows(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String] {
                let program = try Program(
                    "greentea", ["config", "--dev", "--data", folder.data] + arguments, in: folder, environment: environment)
                #expect(try program.wait() == 0, "\(program.errors)")
                return program.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            }
            #expect(try rows([]).contains("audit every:1h default"))
            #expect(try rows([], ["GREENTEA_AUDIT": "every:30s"]).contains("audit every:30s environment GREENTEA_AUDIT"))
            #expect(try rows(["--audit", "off"], ["GREENTEA_AUDIT": "every:30s"]).contains("audit off flag --audit"))
            let file = folder.file("s.json")
            try #"{"audit":"every:15m"}"#.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try rows(["--config", file]).contains("audit every:15m file \(file)"))
            let wrong = try Program.run("greentea", "config", "--dev", "--data", folder.data, "--audit", "sometimes", in: folder)
            #expect(wrong.status == 64 && wrong.errors.contains("every:1h"), "\(wrong.errors)")
            let bad = try Program.run(
                "greentea", "config", "--dev", "--data", folder.data, in: folder, environment: ["GREENTEA_AUDIT": "sometimes"])
            #expect(bad.status == 2 && bad.errors.contains("audit") && bad.errors.contains("GREENTEA_AUDIT"), "\(bad.errors)")
        }

        /// Repeats a request until its result fulfils the condition. The wait is long, because the auditor has the lowest priority and gets
        /// almost no time on a busy machine.
        private func wait<Value>(for look: () throws -> Value, until isThere: (Value) -> Bool) throws -> Value {
            let deadline = Date(timeIntervalSinceNow: 1_800)
            while Date() < deadline {
                let value = try look()
                if isThere(value) { return value }
                Thread.sleep(forTimeInterval: 0.02)
            }
            throw TestFailure("the expected value did not come; the last one is \(try look())")
        }
    }
}

/// The fields of a `--compare --format jsonl` line that these tests check.
private struct Verdict: Decodable {
    struct Diagnosis: Decodable {
        let cause: String
        let type: String?
        let key: String?
    }

    let verdict: String
    let model: String
    let diagnosis: Diagnosis?
}
