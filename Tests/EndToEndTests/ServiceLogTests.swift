import Foundation
import Testing

extension EndToEnd {
    /// The log of a real server, as programs read it.
    @Suite struct ServiceLogTests {
        /// Every line of standard error as JSON.
        private func lines(_ text: String) throws -> [[String: String]] {
            try text.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
            }
        }

        @Test("In JSON format, every line of a server from start to stop is one object with an event's name")
        func json() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder, options: ["--log-format", "json", "--access-log"])
            #expect(try server.client.send("GET", "/healthz").status == 200)
            #expect(try server.stop() == 0)
            let lines = try lines(server.program.errors)
            let events = lines.compactMap { $0["event"] }
            #expect(events.count == lines.count)
            #expect(events.first == "server.starting" && events.last == "server.stopped")
            #expect(events.contains("server.started") && events.contains("server.stopping"))
            let request = try #require(lines.first { $0["event"] == "request.answered" })
            #expect(request["route"] == "/healthz" && request["requestId"]?.isEmpty == false && request["level"] == "info")
        }

        @Test("A variable and a file choose format and level of the log, and a refused start is logged in that format")
        func settings() throws {
            let folder = try TemporaryFolder()
            let variables = ["GREENTEA_LOG_FORMAT": "json", "GREENTEA_LOG_LEVEL": "critical"]
            let server = try Server(data: folder.data, in: folder, environment: variables)
            #expect(try server.stop() == 0)
            #expect(server.program.errors.isEmpty, "\(server.program.errors)")
            let refused = try Program.run(
                "greentea", "serve", "--dev", "--data", "/dev/null", "--listen", "127.0.0.1:0", "--log-format", "json", in: folder)
            #expect(refused.status == 2)
            let last = try #require(try lines(refused.errors).last)
            #expect(last["event"] == "server.failed" && last["exitCode"] == "2" && last["level"] == "critical")
            let text = try Server(data: folder.data, in: folder)
            #expect(try text.stop() == 0)
            #expect(
                text.program.errors.contains(" notice server.started \"greentea is ready\" url=http://127.0.0.1:"), "\(text.program.errors)"
            )
        }

        @Test("A start that finds no checkpoint beside a log says what to do, and a kept copy is compared by the printed command")
        func noCheckpoint() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            try FileManager.default.moveItem(atPath: folder.data + "/checkpoint", toPath: folder.file("kept"))
            let server = try Server(data: folder.data, in: folder, options: ["--log-format", "json"])
            #expect(try server.stop() == 0)
            let line = try #require(try lines(server.program.errors).first { $0["event"] == "checkpoint.missing" })
            let command = try #require(line["remedy"]?.split(separator: "`").map(String.init).first { $0.hasPrefix("greentea-audit") })
            let words = command.replacing("COPY", with: folder.file("kept")).split(separator: " ").map(String.init)
            let program = try Program(words[0], Array(words.dropFirst()), in: folder)
            #expect(try program.wait() == 0, "\(command): \(program.output)\(program.errors)")
        }

        @Test("An unknown log format or level is named in the error", arguments: [["--log-format", "xml"], ["--log-level", "loud"]])
        func wrong(option: [String]) throws {
            let folder = try TemporaryFolder()
            #expect(try Program("greentea", ["serve", "--dev", "--data", folder.data] + option, in: folder).wait() == 64)
            let name = option[0] == "--log-format" ? "GREENTEA_LOG_FORMAT" : "GREENTEA_LOG_LEVEL"
            let config = try Program.run(
                "greentea", "config", "--dev", "--data", folder.data, in: folder, environment: [name: option[1]])
            #expect(config.status == 2 && config.errors.contains("it must be"), "\(config)")
        }
    }
}
