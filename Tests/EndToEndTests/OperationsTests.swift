import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Every metric named in the alerts, the dashboard and the runbook exists on a live server.
    @Suite struct OperationsTests {
        private static let deploy = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tools/deploy").standardized

        private func text(_ name: String) throws -> String { try String(contentsOf: Self.deploy.appending(path: name), encoding: .utf8) }

        /// Returns the names of this project's metrics in a text, without the suffixes of histograms.
        private func metrics(in text: String) -> Set<String> {
            let names = text.matches(of: /(greentea|process|metrics)_[a-z_]+[a-z]/).map { String($0.output.0) }
            return Set(
                names.map { name in
                    for end in ["_bucket", "_sum", "_count"] where name.hasSuffix(end) { return String(name.dropLast(end.count)) }
                    return name
                })
        }

        /// Scrapes a server with a certificate, a message sender, and a trace collector that does not answer, after a backup and a drill.
        /// Every metric then has a value.
        private func scrape(in folder: TemporaryFolder) throws -> String {
            let (certificate, key) = (folder.file("chain.pem"), folder.file("key.pem"))
            try tool(
                "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate)
            let collector = ["--otlp-traces", "http://127.0.0.1:9/v1/traces"]
            let options = ["--tls-cert", certificate, "--tls-key", key, "--sms", "file:" + folder.file("sms")] + collector
            let server = try Server(data: folder.data, in: folder, options: options)
            func curl(_ path: String, _ more: String...) throws -> String {
                try tool("/usr/bin/curl", ["--silent", "--cacert", certificate] + more + ["https://127.0.0.1:\(server.port)\(path)"])
            }
            _ = try curl("/v1/verifications", "--header", "Content-Type: application/json", "--data", #"{"phone":"+8613800131001"}"#)
            let backup = ["backup", "--to", folder.file("copy"), "--keys", folder.file("copied-keys")]
            for command in [backup, ["drill", "--scratch", folder.path]] {
                let done = try Program("greentea-audit", command + ["--data", folder.data], in: folder)
                #expect(try done.wait() == 0, "\(done.errors)")
            }
            let ready = try curl("/readyz")
            #expect(ready.contains(#""code":"certificateExpires""#) && ready.contains(#""version":"#), "\(ready)")
            let text = try curl("/metrics")
            #expect(try server.stop() == 0)
            return text
        }

        @discardableResult
        private func tool(_ path: String, _ arguments: String...) throws -> String { try tool(path, arguments) }

        private func tool(_ path: String, _ arguments: [String]) throws -> String {
            let (process, pipe) = (Process(), Pipe())
            process.executableURL = URL(filePath: path)
            process.arguments = arguments
            (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
            try process.runInTime()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(path) \(arguments)")
            return String(decoding: output, as: UTF8.self)
        }

        @Test("A live server shows every metric that an alert or the dashboard names, each with its meaning")
        func everyFigureIsThere() throws {
            let live = try scrape(in: TemporaryFolder())
            let lines = live.split(separator: "\n")
            let typed = Set(lines.filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) })
            let helped = Set(lines.filter { $0.hasPrefix("# HELP ") }.map { String($0.split(separator: " ")[2]) })
            #expect(typed.subtracting(helped).isEmpty, "metrics have no help text")
            for name in ["alerts.yaml", "dashboard.json", "RUNBOOK.md"] {
                let missing = metrics(in: try text(name)).subtracting(typed)
                #expect(missing.isEmpty, "\(name): \(missing.sorted())")
            }
            #expect(live.contains(#"greentea_build_info{version=""#))
        }

        @Test("Every alert and every exit code has a heading in the runbook")
        func everyAlertHasAHeading() throws {
            let headings = Set(
                try text("RUNBOOK.md").split(separator: "\n").filter { $0.hasPrefix("## ") || $0.hasPrefix("### ") }.map(String.init))
            let alerts = try text("alerts.yaml").matches(of: /- alert: (\w+)/).map { String($0.output.1) }
            #expect(alerts.count >= 20)
            for alert in alerts { #expect(headings.contains("### \(alert)"), "\(alert)") }
            for code in [0, 1, 2, 3, 64, 134, 135, 139] { #expect(headings.contains("### Exit \(code)"), "\(code)") }
        }

        @Test("A scrape costs a debug build less than 25 milliseconds of processor time")
        func scrapesAreCheap() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let client = server.client
            func seconds() throws -> Double {
                let text = try client.send("GET", "/metrics").text
                let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("process_cpu_seconds_total ") })
                return try #require(Double(line.split(separator: " ")[1]))
            }
            _ = try seconds()
            let before = try seconds()
            for _ in 0..<200 { _ = try seconds() }
            let each = (try seconds() - before) / 201
            // A scrape of a release build takes less than five milliseconds. The limit is higher, because the tests run a debug build.
            #expect(each < 0.025, "\(each) s")
            print("a scrape takes \(each * 1_000) ms of the processor")
            #expect(try server.stop() == 0)
        }
    }
}
