import Foundation
import Patience
import Seeds
import Testing

extension EndToEnd {
    /// Servers and tools that stop during the hand-over of a new generation, between the rebuild's offer and the server's answer.
    @Suite struct HandoverTests {
        private static func folder(of model: String, in folder: TemporaryFolder) -> String { folder.data + "/derived/models/" + model }

        private static func current(_ model: String, in folder: TemporaryFolder) -> String? {
            try? String(contentsOfFile: Self.folder(of: model, in: folder) + "/current", encoding: .utf8)
        }

        private static func wait(_ what: String, until isDone: () -> Bool) throws {
            let deadline = Date(timeIntervalSinceNow: 60)
            while !isDone() {
                guard Date() < deadline else { throw TestFailure("\(what): still not after a minute") }
                Thread.sleep(forTimeInterval: 0.002)
            }
        }

        /// Restarts the server. A rebuild may hold the writer's lock while it switches, so the start is retried until the lock is
        /// free.
        private static func restarted(_ folder: TemporaryFolder) throws -> Server {
            var started: Server?
            try eventually("a server that starts once no rebuild holds the lock") {
                do {
                    started = try Server(data: folder.data, in: folder)
                } catch let failure as TestFailure where "\(failure)".contains("another process is writing here") {}
                return started != nil
            }
            return try #require(started)
        }

        /// The server hangs until the tool that waits for it is killed.
        @Test("A server does not switch to a generation whose tool was killed, and a later rebuild succeeds")
        func abandoned() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            for model in ["notices", "discovery"] {
                let (request, before) = (Self.folder(of: model, in: folder) + "/handover", Self.current(model, in: folder))
                server.program.kill(SIGSTOP)
                let tool = try Program("greentea-rebuild", ["--data", folder.data, "--model", model], in: folder)
                try Self.wait("the request") { FileManager.default.fileExists(atPath: request) }
                tool.kill(SIGKILL)
                try tool.wait()
                server.program.kill(SIGCONT)
                try Self.wait("the withdrawal of the request") { !FileManager.default.fileExists(atPath: request) }
                #expect(before != nil && Self.current(model, in: folder) == before)
                let next = try Program.run("greentea-rebuild", "--data", folder.data, "--model", model, in: folder)
                #expect(next.status == 0 && next.output.contains("switched by the server"), "\(next.output)\(next.errors)")
                #expect(Self.current(model, in: folder) != before)
            }
            #expect(try server.stop() == 0)
        }

        /// Either the server or the tool switches the generation.
        @Test("Every rebuild succeeds while servers are stopped or killed, and started again")
        func restartedServers() throws {
            let folder = try TemporaryFolder()
            var server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server, goal: 5)
            let customer = server.client
            try customer.signIn(1)
            let record = LoadRecord()
            try Load(record: record, name: "before").run([customer], at: counter, on: server, seconds: 0.5)
            let rebuilds = Later { try (0..<4).map { _ in try Program.run("greentea-rebuild", "--data", folder.data, in: folder) } }
            var random = SeededRandom.announced("restartedServers"), watch = ModelsWatch(folder.data)
            for isKilled in [false, true, true] {
                try watch.wait(steps: random.int(1...12)) { rebuilds.isOver }
                if isKilled { server.kill() } else { #expect(try server.stop() == 0) }
                server = try Self.restarted(folder)
            }
            for finished in try rebuilds.value() { #expect(finished.status == 0, "\(finished.output)\(finished.errors)") }
            try Truth.expect(record, with: [customer.moved(to: server)])
            #expect(try server.stop() == 0)
            try ReplayTests.expectOneDigest(of: folder)
        }
    }
}
