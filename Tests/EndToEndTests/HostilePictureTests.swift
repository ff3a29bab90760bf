import Foundation
import Synchronization
import Testing

extension EndToEnd {
    /// Hostile uploads that must not disturb other clients.
    @Suite struct HostilePictureTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        /// The memory in KiB by which the server may grow while it handles these pictures and the other requests.
        private static let growthMax = 100 * 1_024

        /// Returns the name and content of every file in the corpus.
        private static func corpus(in folder: TemporaryFolder) throws -> [(name: String, bytes: Data)] {
            let place = folder.file("corpus")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let script = root.appending(path: "Tools/lib/hostile_pictures.py").path
            let maker = try Program("/usr/bin/env", ["python3", script, place], in: folder)
            guard try maker.wait() == 0 else { throw TestFailure("no corpus: \(maker.errors)") }
            return try FileManager.default.contentsOfDirectory(atPath: place).sorted().map { name in
                (name, try Data(contentsOf: URL(filePath: place + "/" + name)))
            }
        }

        private static func memory(_ server: Server, _ name: String) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(server.program.pid)/status", encoding: .utf8)
            guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
                let number = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
            else { throw TestFailure("no \(name) in \(text)") }
            return number
        }

        /// Returns the server's child processes.
        private static func children(of server: Server) -> [pid_t] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return names.compactMap { pid_t($0) }.filter { pid in
                let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
                let words = text.split(separator: ")").last?.split(separator: " ") ?? []
                return words.count > 1 && words[1] == "\(server.program.pid)"
            }
        }

        @Test(
            "Hostile pictures, to be stored or searched for a code, are refused without blocking other clients or growing memory",
            arguments: ["/v1/images", "/scan"])
        func everybodyElseIsServed(_ path: String) throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let before = try Self.memory(server, "VmRSS")
            let (isOver, client) = (Flag(), server.client)
            let others = Later {
                try client.signIn(1)
                var (rounds, longest) = (0, Duration.zero)
                while !isOver.isRaised {
                    rounds += 1
                    for step in 0..<2 {
                        let began = ContinuousClock.now
                        let answer =
                            step == 0
                            ? try client.send("GET", "/healthz") : try client.stamp(try counter.code().code, key: "hostile-\(rounds)")
                        guard (200...201).contains(answer.status) else { throw TestFailure("\(answer.status): \(answer.text)") }
                        longest = max(longest, ContinuousClock.now - began)
                    }
                    Thread.sleep(forTimeInterval: 0.005)
                }
                return (rounds, longest)
            }
            defer { isOver.raise() }
            var (longest, sender) = ([(Duration, String)](), server.client)
            for (number, (name, bytes)) in try Self.corpus(in: folder).enumerated() {
                if number % 25 == 0 {
                    // An account may send only thirty pictures in ten minutes, so another account sends the next ones.
                    sender = server.client
                    try sender.signIn(100 + number)
                }
                let began = ContinuousClock.now
                let answer = try sender.upload(bytes, to: path)
                longest.append((ContinuousClock.now - began, "\(name) \(answer.status)"))
                // If a loaded machine does not process a picture in time, the server answers 503.
                #expect([path == "/scan" ? 200 : 201, 413, 415, 503].contains(answer.status), "\(name): \(answer.text)")
                #expect(answer.status != 503 || answer.headers["retry-after"] != nil)
            }
            isOver.raise()
            let (rounds, wait) = try others.value()
            let growth = try Self.memory(server, "VmHWM") - before
            print("\(longest.count) pictures, \(rounds) rounds of others, longest wait \(wait), memory grew by \(growth) KiB; slowest:")
            for (time, name) in longest.sorted(by: { $0.0 > $1.0 }).prefix(8) { print("  \(name): \(time)") }
            #expect(growth < Self.growthMax)
            #expect(try server.stop() == 0)
        }

        /// Uploads a slow picture and suspends its decoder as soon as the decoder has set its limits.
        ///
        /// - Returns: the process id of the decoder, and the status of the upload, which is known later.
        private static func stoppedChild(of server: Server, in folder: TemporaryFolder) throws -> (pid_t, Later<Int>) {
            guard let slow = try corpus(in: folder).first(where: { $0.name == "png-pixels-inflated" }) else {
                throw TestFailure("no slow picture")
            }
            let sender = server.client
            try sender.signIn(7)
            let answer = Later { (try? sender.upload(slow.bytes).status) ?? 0 }
            for _ in 0..<60_000 {
                if let child = children(of: server).first, isConfined(child), kill(child, SIGSTOP) == 0 { return (child, answer) }
                usleep(500)
            }
            throw TestFailure("no child was seen")
        }

        /// True if the child has set its last limit. By then the child has already asked the kernel to kill it when the server ends.
        private static func isConfined(_ pid: pid_t) -> Bool {
            let text = (try? String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").contains { $0.hasPrefix("Max open files ") && $0.split(separator: " ")[3] == "0" }
        }

        @Test("A server that stops leaves no child behind and ends the pending upload")
        func stopped() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let (child, answer) = try Self.stoppedChild(of: server, in: folder)
            #expect(try server.stop() == 0)
            #expect(kill(child, 0) == -1)
            #expect([503, 0].contains(try answer.value()), "the upload is refused, or its connection is closed")
        }

        @Test("Killing the server kills its child")
        func killed() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let (child, answer) = try Self.stoppedChild(of: server, in: folder)
            server.kill()
            // The process that adopts the child may take a moment to reap it.
            for _ in 0..<60_000 where Self.isAlive(child) { usleep(500) }
            #expect(!Self.isAlive(child))
            #expect(try answer.value() == 0)
        }

        private static func isAlive(_ pid: pid_t) -> Bool {
            let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            return text.split(separator: ")").last.map { !$0.hasPrefix(" Z") } ?? false
        }
    }
}

/// Signals the end of the test to any thread.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }
}
