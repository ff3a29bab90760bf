import Foundation
import Testing

extension EndToEnd {
    /// Clients that hold connections against a real process with a real limit of file descriptors.
    @Suite struct ConnectionLimitTests {
        /// Reads a counter or gauge from `/metrics` over the given connection.
        private func metric(_ name: String, on connection: Connection) throws -> Int {
            let text = try connection.send("GET", "/metrics", headers: [:], body: nil).text
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return try #require(line.flatMap { Int($0.dropFirst(name.count + 1)) }, "\(name) in \(text)")
        }

        /// Sets the descriptor limit of a running process.
        private func limit(_ server: Server, to count: Int, in folder: TemporaryFolder) throws {
            let arguments = ["--pid", "\(server.program.pid)", "--nofile=\(count):\(count)"]
            let done = try Program("/usr/bin/prlimit", arguments, in: folder)
            #expect(try done.wait() == 0, "\(done.errors)")
        }

        private func descriptors(of server: Server) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.program.pid)/fd").count
        }

        /// Waits until the condition holds.
        private func wait(_ what: String, until isSo: () throws -> Bool) throws {
            let deadline = Date(timeIntervalSinceNow: 900)
            while try !isSo() {
                guard Date() < deadline else { throw TestFailure("waited in vain for \(what)") }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }

        /// Closes connections that were held only to be open. Without this use, an optimised build would close them earlier.
        private static func close(_ held: inout [Connection]) {
            withExtendedLifetime(held) {}
            held.removeAll()
        }

        /// Without the server's own pause, NIO's handler would call `accept` again at once when no descriptor is free.
        @Test("A server without free descriptors pauses between failed accepts, and recovers once some are free")
        func noDescriptors() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder, options: ["--audit", "off"])
            defer { if !server.program.isRunning { Issue.record("the server ended: \(server.program.errors)") } }
            let watcher = try Connection(port: server.port)
            // The server has opened its own files by now. Other tests cover a server that has no descriptors left for its own files.
            try wait("every model to be ready") { try watcher.send("GET", "/readyz", headers: [:], body: nil).status == 200 }
            #expect(try watcher.send("GET", "/v1/campaigns", headers: [:], body: nil).status == 200)
            #expect(try metric("greentea_accept_failures_total", on: watcher) == 0)
            try limit(server, to: descriptors(of: server) + 10, in: folder)
            var held = try (0..<60).map { _ in try Connection(port: server.port) }
            try wait("accept to fail") { try metric("greentea_accept_failures_total", on: watcher) > 0 }
            let clock = ContinuousClock()
            let (start, first) = (clock.now, try metric("greentea_accept_failures_total", on: watcher))
            try wait("accept to fail again") { try metric("greentea_accept_failures_total", on: watcher) >= first + 4 }
            let failures = try metric("greentea_accept_failures_total", on: watcher) - first
            // The server may fail once in 250 ms. The bound uses the time that this process measures, so it is no tighter on a busy
            // machine.
            let quarters = (clock.now - start) / .milliseconds(250)
            #expect(Double(failures) <= quarters + 1, "\(failures) failed accepts in \(quarters) quarters of a second")
            #expect(server.program.errors.contains("no connection can be accepted"), "\(server.program.errors)")
            Self.close(&held)
            #expect(try server.client.send("GET", "/healthz").status == 200)
            #expect(server.program.isRunning)
        }

        @Test("One address gets at most its share of the connections, and the server's own files keep their descriptors")
        func oneAddress() throws {
            let folder = try TemporaryFolder()
            let key = try Program.run("greentea", "key", "new", in: folder)
            try key.output.write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("key"))
            let options = ["--master-key-file", folder.file("key"), "--sms", "file:" + folder.file("sms")]
            let server = try Server(data: folder.data, in: folder, options: options, isDevelopment: false, descriptors: 1_024)
            #expect(server.program.errors.contains("few connections"), "\(server.program.errors)")
            // 512 of the 1,024 descriptors are for connections. One address may have an eighth of these, 64 connections, and the watcher is
            // one of them.
            let watcher = try Connection(port: server.port)
            #expect(try watcher.send("GET", "/healthz", headers: [:], body: nil).status == 200)
            var held = try (0..<200).map { _ in try Connection(port: server.port) }
            let refused = #"greentea_connections_refused_total{reason="address"}"#
            try wait("the refusals of an address") { try metric(refused, on: watcher) == 200 - 63 }
            #expect(try metric("greentea_connections", on: watcher) == 64)
            #expect(server.program.errors.contains("connections are refused"), "\(server.program.errors)")
            Self.close(&held)
            try wait("room for connections") { try metric("greentea_connections", on: watcher) == 1 }
            #expect(try server.client.send("GET", "/healthz").status == 200)
            #expect(try server.stop() == 0)
        }

        @Test("A server that may open too few files is refused, and the error says which limit to raise")
        func tooFewDescriptors() throws {
            let folder = try TemporaryFolder()
            let serve = ["serve", "--dev", "--data", folder.data, "--listen", "127.0.0.1:0"]
            let program = try Program("/usr/bin/prlimit", ["--nofile=256", try Products.path(of: "greentea")] + serve, in: folder)
            #expect(try program.wait() == 2)
            #expect(program.errors.contains("may open 256 files") && program.errors.contains("LimitNOFILE="), "\(program.errors)")
        }

        @Test("A forwarding header that is not configured as trusted changes nothing and is reported once")
        func forwardedAddress() throws {
            let folder = try TemporaryFolder()
            let key = try Program.run("greentea", "key", "new", in: folder)
            try key.output.write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("key"))
            let options = ["--master-key-file", folder.file("key"), "--sms", "file:" + folder.file("sms")]
            let server = try Server(data: folder.data, in: folder, options: options, isDevelopment: false)
            let connection = try Connection(port: server.port)
            // The requests exceed the limit of one address. A forwarding header makes no difference, whether it claims another address or a
            // loopback address.
            var (statuses, last): (Set<Int>, Answer?) = ([], nil)
            for number in 0..<20_000 where !statuses.contains(429) {
                let claim = ["127.0.0.1", "203.0.113.\(number % 250)", "::1"][number % 3]
                let answer = try connection.send("GET", "/v1/shops", headers: ["X-Forwarded-For": claim], body: nil)
                statuses.insert(answer.status)
                last = answer
            }
            #expect(statuses == [200, 429] && last?.headers["connection"] == "close")
            #expect(server.program.errors.components(separatedBy: "X-Forwarded-For").count == 2, "\(server.program.errors)")
            #expect(try server.stop() == 0)
        }
    }
}
