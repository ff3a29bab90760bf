import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Pages of the log and of the keys, and a lock file, that are overwritten beneath a running server.
    @Suite struct DamagedWhileServedTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private static let pageBytes = 4_096

        private func serve(_ options: String...) throws -> Server {
            try Server(data: folder.data, in: folder, options: ["--audit", "every:1s"] + options)
        }

        private func refused() throws -> String {
            let program = try Program("greentea", ["serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--dev"], in: folder)
            #expect(try program.wait() == 2)
            return program.errors
        }

        /// Overwrites every page that the condition picks, in place. The server stands still meanwhile, because it might write a page of
        /// another kind where a picked one was.
        private func overwrite(_ file: String, of server: Server, where isPicked: (Data) -> Bool) throws {
            defer { server.program.kill(SIGCONT) }
            try freeze(server.program.pid)
            let path = URL(filePath: folder.data + file)
            let bytes = try Data(contentsOf: path)
            let handle = try FileHandle(forUpdating: path)
            var count = 0
            for start in stride(from: 2 * Self.pageBytes, to: bytes.count, by: Self.pageBytes)
            where isPicked(bytes[start..<min(bytes.count, start + Self.pageBytes)]) {
                try handle.seek(toOffset: UInt64(start))
                try handle.write(contentsOf: Data(repeating: 0xA5, count: Self.pageBytes))
                count += 1
            }
            try #require(count > 0)
        }

        private func fill(_ file: String, with byte: UInt8) throws {
            let handle = try FileHandle(forUpdating: URL(filePath: folder.data + file))
            let count = Int(try handle.seekToEnd())
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(repeating: byte, count: count))
            try handle.close()
        }

        private func reasons(_ server: Server, have reason: String) throws {
            try eventually("/readyz has the reason \(reason)") {
                try server.client.send("GET", "/readyz").text.contains(#"{"code":"\#(reason)","model":null}"#)
            }
            let metrics = try server.client.send("GET", "/metrics").text
            #expect(metrics.contains(#"greentea_file_damaged{file="\#(reason)"} 1"#))
            // It is shown before it is written to the log.
            try eventually("the log says it") { server.program.errors.contains("a file of the data folder is damaged") }
        }

        @Test("A damaged page of the log is named, ends writing, and the next start refuses it unless it is told otherwise")
        func damagedLog() throws {
            let server = try serve()
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            // Enough events for several pages, so that the damaged one is read by no start.
            for number in 0..<60 { #expect(try customer.stamp(try counter.code().code, key: "\(number)").status == 201) }
            let export = ["export", "--data", folder.data, "-o", folder.file("events")]
            #expect(try Program("greentea-audit", export, in: folder).wait() == 0)
            let lines = try ExportedLine.all(in: try Data(contentsOf: URL(filePath: folder.file("events"))))
            let record = try #require(lines.compactMap(\.record).dropFirst(70).first)
            try overwrite("/log/data.mdb", of: server) { $0.range(of: record) != nil }
            try reasons(server, have: "log")
            let code = try counter.owner.send("POST", "/v1/campaigns/\(counter.campaign)/codes", json: "{}", key: "late")
            #expect(code.status == 503 && code.text.contains("stopping"), "\(code.text)")
            let shop = try server.client.send("GET", "/v1/shops/\(counter.shop)")
            #expect(shop.status == 200, "what is intact is served: \(shop.text)")
            #expect(try server.stop() == 0, "\(server.program.errors)")
            let said = try refused()
            #expect(said.contains("is damaged at page ") && said.contains("The log is damaged"), "\(said)")
        }

        @Test("A damaged page of the keys is named before a sign-in meets it, and a copy of the keys mends it")
        func damagedKeys() throws {
            let server = try serve()
            let counter = try Counter.open(at: server)
            let keys = folder.data + "/keys"
            try FileManager.default.copyItem(atPath: keys, toPath: folder.file("copy"))
            try overwrite("/keys/data.mdb", of: server) { _ in true }
            try reasons(server, have: "keys")
            let sent = try server.client.send("POST", "/v1/verifications", json: #"{"phone":"+8613800131009"}"#)
            let shop = try server.client.send("GET", "/v1/shops/\(counter.shop)")
            #expect(shop.status == 200 && sent.status != 500, "\(shop.text) \(sent.text)")
            #expect(throws: (any Error).self) { try server.client.signIn(7) }
            #expect(server.program.isRunning)
            #expect(try server.stop() == 0)
            let said = try refused()
            #expect(said.contains("damagedKeys: ") && said.contains("cp -a COPY/. "), "\(said)")
            try FileManager.default.moveItem(atPath: keys, toPath: keys + ".damaged")
            try FileManager.default.copyItem(atPath: folder.file("copy"), toPath: keys)
            let again = try serve()
            let client = again.client
            try client.signIn(7)
            #expect(try again.stop() == 0)
        }

        @Test(
            "A lock file that is overwritten ends the server at the next write, and the restart has every acknowledged stamp",
            arguments: [0, 0xA5] as [UInt8])
        func lockFile(byte: UInt8) throws {
            let server = try serve()
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            for number in 0..<5 { #expect(try customer.stamp(try counter.code().code, key: "\(number)").status == 201) }
            let code = try counter.code().code
            try fill("/log/lock.mdb", with: byte)
            let answer = try? customer.stamp(code, key: "late")
            #expect(answer?.status != 201, "\(answer?.text ?? "")")
            #expect(try server.program.wait() == 3, "\(server.program.errors)")
            #expect(server.program.errors.contains("the lock file was overwritten"), "\(server.program.errors)")
            let again = try serve()
            let returning = customer.moved(to: again)
            #expect(try returning.stamps() == 5)
            #expect(try returning.stamp(code, key: "late").status == 201)
            #expect(try returning.stamps() == 6)
            #expect(try again.stop() == 0)
            let verified = try Program.run("greentea-audit", "verify", "--data", folder.data, in: folder)
            #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        }

        @Test("An overwritten lock file of the keys ends the server by itself, and a restart mends it", arguments: [0, 0xA5] as [UInt8])
        func keysLockFile(byte: UInt8) throws {
            let server = try serve()
            let customer = server.client
            try customer.signIn(1)
            try fill("/keys/lock.mdb", with: byte)
            #expect(try server.program.wait() == 3, "\(server.program.errors)")
            #expect(server.program.errors.contains("/keys/lock.mdb was overwritten while"), "\(server.program.errors)")
            let again = try serve()
            for number in [1, 7] {
                let client = again.client
                try client.signIn(number)
            }
            #expect(try again.stop() == 0)
        }
    }
}
