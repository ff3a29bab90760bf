import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Starting and stopping the server, and its refusals to start.
    @Suite struct ServeTests {
        @Test("A server without `--dev` names the missing master key and SMS sender, and leaves nothing behind")
        func withoutDev() throws {
            let folder = try TemporaryFolder()
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", "127.0.0.1:0", in: folder)
            #expect(serve.status == 2)
            #expect(serve.errors.contains("master key") && serve.errors.contains("SMS sender"))
            #expect(!FileManager.default.fileExists(atPath: folder.data), "a refusal leaves nothing behind")
        }

        @Test("A server with `--dev` refuses an address other than loopback", arguments: ["0.0.0.0:0", "[::]:0", "192.0.2.1:8080"])
        func loopbackOnly(address: String) throws {
            let folder = try TemporaryFolder()
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", address, "--dev", in: folder)
            #expect(serve.status == 2)
            #expect(serve.errors.contains("loopback"))
            #expect(!FileManager.default.fileExists(atPath: folder.data))
        }

        @Test("A second server names the process that holds the folder, and does not disturb it")
        func secondServer() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let second = try Program.run("greentea", "serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--dev", in: folder)
            #expect(second.status == 2)
            #expect(second.errors.contains("\(server.program.pid)"), "\(second.errors)")
            #expect(try server.client.send("GET", "/healthz").status == 200, "the running server is not disturbed")
            #expect(try server.stop() == 0)
        }

        @Test("An import beside a running server is refused with the server's process id")
        func importBesideServer() throws {
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

        @Test("A port in use is reported with its number, and a first start leaves nothing behind")
        func portInUse() throws {
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

        @Test("Only the owner can read the files with the master key and the data keys")
        func ownerOnly() throws {
            let folder = try TemporaryFolder()
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.data + "/master.key")
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
            let keys = try FileManager.default.attributesOfItem(atPath: folder.data + "/keys/data.mdb")
            #expect((keys[.posixPermissions] as? Int) == 0o600)
        }

        @Test("A start without the lost master key is refused and names the settings that help")
        func lostMasterKey() throws {
            let folder = try TemporaryFolder()
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            try FileManager.default.removeItem(atPath: folder.data + "/master.key")
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--dev", in: folder)
            #expect(serve.status == 2)
            #expect(serve.errors.contains("master.key"))
            #expect(serve.errors.contains("--master-key-file") && serve.errors.contains("--dev"), "\(serve.errors)")
        }

        @Test("A malformed listen address is a usage error", arguments: ["localhost", "127.0.0.1:99999", ":80", "::1:80"])
        func malformedAddress(address: String) throws {
            let folder = try TemporaryFolder()
            let serve = try Program.run("greentea", "serve", "--data", folder.data, "--listen", address, "--dev", in: folder)
            #expect(serve.status == 64)
        }

        @Test("A server under load ends at SIGTERM with exit code 0, and loses no acknowledged stamp")
        func sigterm() throws {
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
