import Foundation
import Testing

extension EndToEnd {
    /// The server and the tool make proofs. The tool verifies them, and so does a program that shares no code with either.
    @Suite(.enabled(if: PythonVerifier.isThere, "there is no python3")) struct ProofTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private var data: String { folder.data }

        private func audit(_ arguments: String...) throws -> Finished {
            let program = try Program("greentea-audit", arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func key() throws -> String {
            let finished = try audit("checkpoint", "--data", data, "--vkey")
            guard finished.status == 0, let key = finished.lines.first else { throw TestFailure("no key: \(finished.errors)") }
            return key
        }

        private func write(_ bytes: Data, to name: String) throws -> String {
            let path = folder.file(name)
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: URL(filePath: path))
            return path
        }

        /// Returns a customer's stamp and its receipt.
        private func stamped(at server: Server) throws -> (position: UInt64, receipt: Data) {
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            var body: StampBody?
            for visit in 1...5 { body = try customer.stamp(try counter.code().code, key: "visit-\(visit)").read(status: 201) }
            let position = try #require(body).position
            let answer = try customer.send("GET", "/v1/stamps/\(position)/receipt")
            #expect(answer.status == 200, "\(answer.text)")
            return (position, answer.body)
        }

        /// Returns whether each of the two programs accepts the receipt as proof.
        private func verdicts(_ receipt: Data, key: String) throws -> [Bool] {
            let file = try write(receipt, to: "checked.tlog-proof")
            let ours = try audit("check-proof", file, "--key", key)
            let theirs = try PythonVerifier.run(["proof", file, "--key", key])
            return [ours.status == 0, theirs.status == 0]
        }

        @Test("A stamp's receipt is accepted by two independent programs, and an altered one by neither")
        func stampReceipt() throws {
            let server = try Server(data: data, in: folder)
            let (position, receipt) = try stamped(at: server)
            let key = try key()
            #expect(try verdicts(receipt, key: key) == [true, true])
            let told = try audit("check-proof", try write(receipt, to: "told.tlog-proof"), "--key", key)
            #expect(told.output.contains("proved: event \(position) of ") && told.output.contains("CardStamped"), "\(told.output)")
            #expect(try server.stop() == 0)
            for index in stride(from: 0, to: receipt.count, by: receipt.count / 24) {
                var altered = receipt
                altered[index] ^= 1
                #expect(try verdicts(altered, key: key) == [false, false], "byte \(index)")
            }
        }

        @Test("The tool makes a proof beside the server, and refuses a wrong position, folder, record, proof or key")
        func proofBesideServer() throws {
            let server = try Server(data: data, in: folder)
            let (position, receipt) = try stamped(at: server)
            let (proof, record) = (folder.file("made.tlog-proof"), folder.file("record"))
            let made = try audit("prove", "--data", data, "--position", "\(position)", "-o", proof, "--record", record)
            #expect(made.status == 0, "\(made.errors)")
            let key = try key()
            #expect(try audit("check-proof", proof, "--key", key, "--record", record).status == 0)
            #expect(try PythonVerifier.run(["proof", proof, "--record", record, "--key", key]).status == 0)
            let missing = try audit("prove", "--data", data, "--position", "999999")
            #expect(missing.status == 2 && missing.errors.contains("999999"))
            #expect(try audit("prove", "--data", folder.file("nowhere"), "--position", "1").status == 2)
            let other = try write(Data("other".utf8), to: "other")
            let refused = try audit("check-proof", proof, "--key", key, "--record", other, "--json")
            #expect(refused.status == 1 && refused.output.contains(#""proved":false"#))
            #expect(try audit("check-proof", other, "--key", key).status == 2)
            #expect(try audit("check-proof", proof, "--key", "nonsense").status == 2)
            #expect(try verdicts(receipt, key: key) == [true, true])
        }

        @Test("The served tree is verified as a whole, and each altered file in it is refused")
        func servedTree() throws {
            let server = try Server(data: data, in: folder)
            _ = try stamped(at: server)
            let key = try key()
            let mirror = try mirrored(server)
            #expect(try PythonVerifier.run(["tiles", folder.file("mirror"), "--key", key]).status == 0)
            for (path, bytes) in mirror {
                for index in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 6)) {
                    var altered = bytes
                    altered[index] ^= 1
                    _ = try write(altered, to: "mirror/" + path)
                    #expect(try PythonVerifier.run(["tiles", folder.file("mirror"), "--key", key]).status == 1, "byte \(index) of \(path)")
                }
                _ = try write(bytes, to: "mirror/" + path)
            }
            let told = try audit("tiles", "--data", data, "--output", folder.file("static"), "--entries", "--json")
            #expect(told.status == 0, "\(told.errors)")
            let (status, text) = try PythonVerifier.run(["tiles", folder.file("static"), "--key", key, "--entries"])
            #expect(status == 0, "\(text)")
        }

        /// Fetches the files that a client would fetch: the checkpoint, and the tiles for the number of events in the checkpoint.
        private func mirrored(_ server: Server) throws -> [(String, Data)] {
            let client = server.client
            let checkpoint = try client.send("GET", "/checkpoint")
            let lines = checkpoint.text.split(separator: "\n", omittingEmptySubsequences: false)
            let size = try #require(lines.dropFirst().first.flatMap { Int($0) })
            try #require(size > 0 && size < 256)
            let tile = try client.send("GET", "/tile/0/000.p/\(size)")
            #expect(checkpoint.status == 200 && tile.status == 200)
            let files = [("checkpoint", checkpoint.body), ("tile/0/000.p/\(size)", tile.body)]
            for (path, bytes) in files { _ = try write(bytes, to: "mirror/" + path) }
            return files
        }

        @Test("An older log is refused until the operator accepts it")
        func olderLog() throws {
            #expect(try Server(data: data, in: folder).stop() == 0)
            try FileManager.default.copyItem(atPath: data + "/log", toPath: folder.file("older"))
            let server = try Server(data: data, in: folder)
            _ = try stamped(at: server)
            #expect(try server.stop() == 0)
            try FileManager.default.removeItem(atPath: data + "/log")
            try FileManager.default.copyItem(atPath: folder.file("older"), toPath: data + "/log")
            let refused = try Program.run("greentea", "serve", "--data", data, "--listen", "127.0.0.1:0", "--dev", in: folder)
            #expect(refused.status == 2)
            #expect(refused.errors.contains("rolledBack") && refused.errors.contains("--accept-older-log"), "\(refused.errors)")
            let verified = try audit("verify", "--data", data)
            #expect(verified.status == 1 && verified.output.contains("An older copy of the log lies here"), "\(verified.output)")
            #expect(!verified.output.contains("This is another log"), "\(verified.output)")
            let told = try audit("checkpoint", "--data", data)
            #expect(told.status == 1 && told.errors.contains("checkpoint"), "\(told.errors)")
            #expect(try Server(data: data, in: folder, options: ["--accept-older-log"]).stop() == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: data)
            #expect(names.contains { $0.hasPrefix("checkpoint.replaced-") }, "\(names)")
            #expect(try Server(data: data, in: folder).stop() == 0)
            #expect(try audit("checkpoint", "--data", data).status == 0)
        }

        @Test("The log continues its checkpoint after a kill")
        func afterKill() throws {
            var sizes: [Int] = []
            for round in 0..<4 {
                let server = try Server(data: data, in: folder)
                let counter = try Counter.open(at: server, phone: round)
                for _ in 0..<round { _ = try counter.code() }
                server.kill()
                let finished = try audit("checkpoint", "--data", data)
                #expect(finished.status == 0, "\(finished.errors)")
                sizes.append(try #require(finished.lines.dropFirst().first.flatMap { Int($0) }))
            }
            #expect(sizes == sizes.sorted())
            #expect(try Server(data: data, in: folder).stop() == 0)
            let summary = try audit("checkpoint", "--data", data, "--json")
            let body = try JSONDecoder().decode(CheckpointBody.self, from: Data(summary.output.utf8))
            #expect(body.size == body.head && body.size >= sizes[3])
        }

        @Test("A log keeps the name that it was given, and another name is refused")
        func theLogKeepsItsName() throws {
            let server = try Server(data: data, in: folder, options: ["--origin", "tea.example/log"])
            #expect(try server.client.send("GET", "/checkpoint").text.hasPrefix("tea.example/log\n"))
            #expect(try server.stop() == 0)
            #expect(try key().hasPrefix("tea.example/log+"))
            let other = try Program.run(
                "greentea", "serve", "--data", data, "--listen", "127.0.0.1:0", "--dev", "--origin", "other.example", in: folder)
            #expect(other.status == 2 && other.errors.contains("otherOrigin"), "\(other.errors)")
            #expect(try Server(data: data, in: folder).stop() == 0)
        }

        private struct CheckpointBody: Decodable {
            let size, head: Int
        }
    }
}
