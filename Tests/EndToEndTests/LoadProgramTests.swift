import Foundation
import Patience
import Testing

extension EndToEnd {
    /// `greentea-load`: the files that it leaves behind, servers that restart or stay away during a run, and its message when it cannot
    /// run.
    @Suite struct LoadProgramTests {
        private static func programs(with text: String) -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return names.filter { name in
                Int(name) != nil && (try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8))?.contains(text) == true
            }
        }

        @Test("A load program that a signal ends leaves neither its server nor its folder behind", arguments: [SIGINT, SIGTERM])
        func signalled(signal: Int32) throws {
            let folder = try TemporaryFolder()
            let place = folder.file("tmp")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let arguments = ["--seconds", "86400", "--accounts", "2", "--shops", "1", "--connections", "1", "--rate", "5"]
            let load = try Program("greentea-load", arguments, in: folder, environment: ["TMPDIR": place])
            try eventually("the load program's own server runs") {
                guard load.isRunning else { throw TestFailure("the load program ended: \(load.errors)") }
                return !Self.programs(with: place + "/greentea-load-").isEmpty
            }
            load.kill(signal)
            #expect(try load.wait() == 128 + signal, "\(load.errors)")
            #expect(load.errors.isEmpty, "\(load.errors)")
            #expect(Self.programs(with: place + "/greentea-load-").isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
        }

        @Test("The load program waits for a server that restarts in the middle of a run, and every answer is right afterwards")
        func aRestartIsFollowed() throws {
            let folder = try TemporaryFolder()
            let first = try Server(data: folder.data, in: folder)
            let arguments = [
                "--url", "http://127.0.0.1:\(first.port)", "--seconds", "8", "--accounts", "20", "--shops", "2", "--connections", "2",
            ]
            let load = try Program("greentea-load", arguments + ["--rate", "50"], in: folder)
            try eventually("the mix has begun") {
                guard load.isRunning else { throw TestFailure("the load program ended: \(load.errors)") }
                return try first.client.send("GET", "/metrics").text.contains(#"route="/v1/stamps""#)
            }
            #expect(try first.stop() == 0)
            let again = ["serve", "--dev", "--data", folder.data, "--listen", "127.0.0.1:\(first.port)"]
            let second = try Program("greentea", again, in: folder)
            #expect(try load.wait() == 0, "\(load.output)\(load.errors)")
            second.kill(SIGTERM)
            #expect(try second.wait() == 0)
        }

        @Test("A server that dies and stays away ends the run soon, with the table of what was measured")
        func aDeadServerEndsTheRun() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let arguments = [
                "--url", "http://127.0.0.1:\(server.port)", "--seconds", "86400", "--accounts", "4", "--shops", "1", "--connections", "2",
                "--wait", "1",
            ]
            let load = try Program("greentea-load", arguments + ["--rate", "50"], in: folder)
            try eventually("the mix has begun") {
                guard load.isRunning else { throw TestFailure("the load program ended: \(load.errors)") }
                return try server.client.send("GET", "/metrics").text.contains(#"route="/v1/stamps""#)
            }
            _ = try server.stop()
            #expect(try load.wait() == 2, "\(load.output)\(load.errors)")
            #expect(load.errors.contains("the server does not answer; it is asked again for at most 1 s"), "\(load.errors)")
            #expect(!load.errors.contains("nobody answers"), "\(load.errors)")
            #expect(load.output.contains("the last answer came at second"), "\(load.output)")
            #expect(load.output.contains("the server stopped answering; it was asked again for 1 s"), "\(load.output)")
            #expect(load.output.contains("the mix") && load.output.contains("no rule violated until then"), "\(load.output)")
        }

        @Test("An unreachable or missing server is an error of its own and no violation")
        func unreachable() throws {
            let folder = try TemporaryFolder()
            let closed = try Program.run("greentea-load", "--url", "http://127.0.0.1:1", "--seconds", "1", in: folder)
            #expect(closed.status == 2 && closed.errors.contains("nobody answers at 127.0.0.1:1"), "\(closed)")
            let none = try Program.run("greentea-load", "--greentea", folder.file("none"), in: folder)
            #expect(none.status == 2 && none.errors.contains("--url"), "\(none)")
        }

        @Test("The load program finds the server's program in its own folder, even if `PATH` gave only a bare name")
        func serverBesideIt() throws {
            let folder = try TemporaryFolder()
            let products = URL(filePath: try Products.path(of: "greentea-load")).deletingLastPathComponent().path
            let script = #"cd / && PATH="$0:$PATH" && exec greentea-load --seconds 0.1 --accounts 1 --shops 1 --connections 1"#
            let run = try Program("/bin/bash", ["-c", script, products], in: folder)
            #expect(try run.wait() == 0, "\(run.errors)")
        }
    }
}
