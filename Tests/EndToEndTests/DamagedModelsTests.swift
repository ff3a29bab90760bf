import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Pages of read models that are overwritten beneath a running server, or after it was killed.
    @Suite struct DamagedModelsTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func server() throws -> Server { try Server(data: folder.data, in: folder, options: ["--audit", "every:1s"]) }

        /// Overwrites every page of a model's file, in place, except the two head pages.
        private func overwrite(_ model: String) throws {
            let directory = "\(folder.data)/derived/models/\(model)/"
            let generation = try String(contentsOfFile: directory + "current", encoding: .utf8).dropLast()
            let handle = try FileHandle(forUpdating: URL(filePath: "\(directory)\(generation)/data.mdb"))
            let end = try handle.seekToEnd()
            try handle.seek(toOffset: 2 * 4_096)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(end) - 2 * 4_096))
            try handle.close()
        }

        private func audits(of server: Server) throws -> Double {
            let lines = try server.client.send("GET", "/metrics").text.split(separator: "\n")
            let value = lines.first { $0.hasPrefix("greentea_audit_runs_total ") }?.split(separator: " ").last
            return try #require(value.flatMap { Double($0) })
        }

        private func compare() throws {
            let compared = try Program.run("greentea-replay", "--data", folder.data, "--compare", in: folder)
            #expect(compared.status == 0 && compared.lines.count == 9, "\(compared)")
        }

        private func doctor() throws -> Finished { try Program.run("greentea-audit", "doctor", "--data", folder.data, in: folder) }

        @Test("Models that are damaged under a server are named within a minute, rebuilt beside, and right again")
        func whileServed() throws {
            let server = try server()
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            #expect(try customer.stamp(try counter.code().code, key: "before").status == 201)
            // Nobody but the search may meet a damaged page first, which would end the process, once. So what follows from the stamp must
            // have ended, and `deadlines`, which the scheduler reads, is left out.
            let runs = try audits(of: server)
            try eventually("two more audits") { try audits(of: server) > runs + 1 }
            for model in ["card-progress", "statistics", "notices"] { try overwrite(model) }
            try eventually("the log names the models, and they are rebuilt") {
                let said = server.program.errors
                return ["card-progress", "statistics", "notices"].allSatisfy { said.contains("\($0)") }
                    && said.components(separatedBy: "a read model is damaged").count == 4
                    && said.components(separatedBy: "a read model was made again").count == 4
            }
            #expect(!server.program.errors.contains("a read model has stopped"))
            #expect(try customer.stamp(try counter.code().code, key: "after").status == 201)
            #expect(try customer.stamps() == 2)
            let metrics = try server.client.send("GET", "/metrics").text
            #expect(metrics.contains(#"greentea_model_remade_total{model="card-progress"} 1"#))
            #expect(try server.stop() == 0, "\(server.program.errors)")
            try compare()
        }

        @Test("Models that are damaged when the server was killed are named by doctor, and the next start rebuilds them")
        func afterAKill() throws {
            let server = try server()
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            #expect(try customer.stamp(try counter.code().code, key: "before").status == 201)
            #expect(try doctor().output.contains("models: the pages of 9 of 9 are whole"))
            server.program.kill(SIGKILL)
            _ = try server.program.wait()
            for model in ["card-progress", "notices"] { try overwrite(model) }
            let found = try doctor()
            #expect(found.status == 1 && found.output.contains("models: card-progress is damaged"), "\(found)")
            let again = try self.server()
            try eventually("the models are rebuilt") { try again.client.send("GET", "/readyz").text.contains(#""warnings":[]"#) }
            #expect(try customer.moved(to: again).stamps() == 1)
            #expect(again.program.errors.contains("a read model is damaged"), "\(again.program.errors)")
            #expect(try again.stop() == 0)
            try compare()
        }
    }
}
