import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Starting and stopping the server, and its refusals to start.
    @Suite struct ServeTests {
        @Test func withoutDevItNamesWhatIsMissing() throws {
            let folder = try TemporaryFolder()
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", "127.0.0.1:0", in: folder)
            #expect(serve.status == 2)
            #expect(serve.errors.contains("master key") && serve.errors.contains("SMS sender"))
            #expect(!FileManager.default.fileExists(atPath: folder.data), "a refusal leaves nothing behind")
        }

        @Test(arguments: ["0.0.0.0:0", "[::]:0", "192.0.2.1:8080"]) func devListensOnLoopbackOnly(address: String) throws {
            let folder = try TemporaryFolder()
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", address, "--dev", in: folder)
            #expect(serve.status == 2)
            #expect(serve.errors.contains("loopback"))
            #expect(!FileManager.default.fileExists(atPath: folder.data))
        }

        @Test func aSecondServerReportsTheProcessThatHoldsTheFolder() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let second = try Program.run("greentea", "serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--dev", in: folder)
            #expect(second.status == 2)
            #expect(second.errors.contains("\(server.program.pid)"), "\(second.errors)")
            #expect(try server.client.send("GET", "/healthz").status == 200, "the running server is not disturbed")
            #expect(try server.stop() == 0)
        }

        @Test func anImportBesideAServerIsRefused() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let visits = folder.file("visits.csv")
            try "visited_at,customer\n2024-03-01T10:15:00Z,anna\n".write(toFile: visits, atomically: true, encoding: .utf8)
            let arguments = ["--visits", visits, "--shop", "Corner Café", "--goal", "10"]
            let program = try Program("greentea", ["import", "--data", folder.data] + arguments, in: folder)
            #expect(try program.wait() == 2)
            #expect(program.errors.contains("\(server.program.pid)"), "\(program.errors)")
            #expect(try server.stop() == 0)
        }

        @Test func aPortInUseIsAClearError() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let address = "127.0.0.1:\(server.port)"
            let second = try Program.run("greentea", "serve", "--data", folder.file("other"), "--listen", address, "--dev", in: folder)
            #expect(second.status == 2)
            #expect(second.errors.lowercased().contains("in use"), "\(second.errors)")
            #expect(second.errors.contains("\(server.port)"), "\(second.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("other")), "a first start that cannot listen leaves nothing behind")
            #expect(try server.stop() == 0)
        }

        @Test func onlyTheOwnerCanReadTheMasterKey() throws {
            let folder = try TemporaryFolder()
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.data + "/master.key")
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
            let keys = try FileManager.default.attributesOfItem(atPath: folder.data + "/keys/data.mdb")
            #expect((keys[.posixPermissions] as? Int) == 0o600)
        }

        @Test func aLostMasterKeyIsNotReplacedByANewOne() throws {
            let folder = try TemporaryFolder()
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            try FileManager.default.removeItem(atPath: folder.data + "/master.key")
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--dev", in: folder)
            #expect(serve.status == 2)
            #expect(serve.errors.contains("master.key"))
            #expect(serve.errors.contains("--master-key-file") && serve.errors.contains("--dev"), "\(serve.errors)")
        }

        @Test(arguments: ["localhost", "127.0.0.1:99999", ":80", "::1:80"]) func aWrongAddressIsAUsageError(address: String) throws {
            let folder = try TemporaryFolder()
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", address, "--dev", in: folder)
            #expect(serve.status == 64)
        }

        /// SIGTERM under load: acknowledged requests are stored, interrupted ones can be retried, and the exit code is 0.
        @Test func sigtermUnderLoadLosesNothing() throws {
            let folder = try TemporaryFolder()
            let first = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: first, goal: 5)
            let customers = try (1...Load.customers).map { number in
                let client = first.client
                try client.signIn(number)
                return client
            }
            let (record, pid) = (LoadRecord(), first.program.pid)
            Thread.detachNewThread {
                try? eventually("twenty stamps are acknowledged") { record.acknowledged.count >= 20 }
                kill(pid, SIGTERM)
            }
            try Load(record: record, name: "term").run(customers, at: counter, on: first, seconds: 900, isRefusalAllowed: true)
            #expect(try first.program.wait() == 0)
            #expect(record.acknowledged.count >= 20)
            let second = try Server(data: folder.data, in: folder)
            try Truth.expect(record, with: customers.map { $0.moved(to: second) })
            #expect(try second.stop() == 0)
        }
    }
}
