import Foundation
import Patience
import Testing

extension EndToEnd {
    /// When the disk fills up, the server reports it and stops. Once there is room again, every acknowledged write is present.
    @Suite struct FullDiskTests {
        @Test("A full disk stops the server with an error that names it, and no acknowledged stamp is lost")
        func fullDisk() throws {
            guard SmallDisk.isPossible else {
                print("full disk: skipped, this process may not mount a tmpfs")
                return
            }
            let folder = try TemporaryFolder()
            let disk = try SmallDisk(at: folder.file("disk"), bytes: 3 << 20)
            let data = disk.path + "/data"
            let (record, server) = (LoadRecord(), try Server(data: data, in: folder))
            let counter = try Counter.open(at: server, goal: 5)
            let customers = try (1...Load.customers).map { number in
                let client = server.client
                try client.signIn(number)
                return client
            }
            try Load(record: record, name: "fill").run(customers, at: counter, on: server, seconds: 3_600, isRefusalAllowed: true)
            #expect(try server.program.wait() == 3)
            #expect(
                server.program.errors.contains("no room left") || server.program.errors.contains("diskFull"), "\(server.program.errors)")
            #expect(server.program.errors.contains("nothing of this transaction was stored"), "\(server.program.errors)")
            #expect(!server.program.errors.contains("outcome of its last commit is unknown"), "one cause only: \(server.program.errors)")
            #expect(record.acknowledged.count > 100)
            try disk.resize(bytes: 64 << 20)
            let second = try Server(data: data, in: folder)
            try Truth.expect(record, with: customers.map { $0.moved(to: second) })
            #expect(try second.stop() == 0)
        }

        /// The log has room, so the service goes on, and nobody restarts it.
        @Test("A read model that a full disk stops is named by /readyz, and goes on without a restart when there is room")
        func aModelOnAFullDisk() throws {
            guard SmallDisk.isPossible else { return print("full disk: skipped, this process may not mount a tmpfs") }
            let folder = try TemporaryFolder()
            let disk = try SmallDisk(at: folder.data + "/derived", bytes: 2 << 20)
            let server = try Server(data: folder.data, in: folder)
            fill(disk.path + "/ballast")
            _ = try Counter.open(at: server)
            try eventually("a model stops") { try server.client.send("GET", "/readyz").text.contains("modelStopped") }
            try eventually("the log names the remedy") { server.program.errors.contains("the model then goes on by itself") }
            try disk.resize(bytes: 64 << 20)
            try eventually("every model goes on") { try server.client.send("GET", "/readyz").status == 200 }
            try eventually("the log says so") { server.program.errors.contains("model.resumed") }
            #expect(try server.stop() == 0)
        }

        @Test("A server that starts on a full disk is not ready, or exits with the code for which systemd starts it again")
        func aStartOnAFullDisk() throws {
            guard SmallDisk.isPossible else { return print("full disk: skipped, this process may not mount a tmpfs") }
            let folder = try TemporaryFolder()
            let disk = try SmallDisk(at: folder.file("disk"), bytes: 3 << 20)
            let data = disk.path + "/data"
            let server = try Server(data: data, in: folder)
            fill(disk.path + "/ballast")
            let ready = try server.client.send("GET", "/readyz")
            #expect(ready.status == 503 && ready.text.contains(#""code":"diskFull""#), "\(ready.text)")
            #expect(try server.client.send("GET", "/healthz").status == 200)
            let asked = try server.client.send("POST", "/v1/verifications", json: #"{"phone":"+8613800130077"}"#)
            let code = try #require(asked.text.firstMatch(of: /"devCode":"(\d+)"/)?.1, "\(asked.text)")
            let refused = try server.client.send("POST", "/v1/sessions", json: #"{"phone":"+8613800130077","code":"\#(code)"}"#)
            #expect(refused.status == 503, "no fault of the service: \(refused.text)")
            server.kill()
            fill(disk.path + "/ballast-2")
            let again = try Program("greentea", ["serve", "--dev", "--data", data, "--listen", "127.0.0.1:0"], in: folder)
            try eventually("the server is ready, or has ended") { !again.isRunning || again.output.contains("greentea ready on") }
            if again.isRunning {
                // The server could start on the full disk, because every file that it needs at its start already existed.
                again.kill(SIGKILL)
            } else {
                #expect(try again.wait() == 3, "\(again.output)\(again.errors)")
                #expect(again.errors.contains("no room left on the disk"), "\(again.errors)")
            }
            try disk.resize(bytes: 64 << 20)
            #expect(try Server(data: data, in: folder).stop() == 0)
        }

        @Test("A disk that is mounted read-only is reported as such, and not as missing permissions")
        func aReadOnlyMount() throws {
            guard SmallDisk.isPossible else { return print("read-only: skipped, this process may not mount a tmpfs") }
            let folder = try TemporaryFolder()
            let disk = try SmallDisk(at: folder.file("disk"), bytes: 64 << 20)
            let data = disk.path + "/data"
            #expect(try Server(data: data, in: folder).stop() == 0)
            try disk.remount(readOnly: true)
            for place in [data, disk.path + "/new"] {
                let refused = try Program("greentea", ["serve", "--dev", "--data", place, "--listen", "127.0.0.1:0"], in: folder)
                #expect(try refused.wait() == 2 && refused.errors.contains("the disk can only be read"), "\(refused.errors)")
                #expect(!refused.errors.contains("may not read or write"), "\(refused.errors)")
                #expect(refused.errors.contains("dmesg") && refused.errors.contains("mount -o remount,rw"), "\(refused.errors)")
                #expect(!refused.errors.contains("folder of this user"), "\(refused.errors)")
            }
            let rebuild = try Program.run("greentea-rebuild", "--data", data, in: folder)
            #expect(rebuild.status == 2 && rebuild.errors.contains("the disk is mounted read-only"), "\(rebuild.errors)")
            #expect(rebuild.errors.contains("mount -o remount,rw"), "\(rebuild.errors)")
            #expect(!rebuild.errors.contains("account") && !rebuild.errors.contains(".."), "\(rebuild.errors)")
            let doctor = try Program.run("greentea-audit", "doctor", "--data", data, in: folder)
            #expect(doctor.status == 1 && doctor.output.contains("bad  disk: it is mounted read-only"), "\(doctor.output)")
            let drill = try Program.run("greentea-audit", "drill", "--data", data, "--scratch", disk.path, in: folder)
            #expect(drill.status == 2 && drill.errors.contains("mount -o remount,rw"), "\(drill.errors)")
            try disk.remount(readOnly: false)
            #expect(try Server(data: data, in: folder).stop() == 0)
        }

        /// Writes zeros to a new file until the file system is full.
        private func fill(_ path: String) {
            guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path) else { return }
            while (try? file.write(contentsOf: Data(count: 4_096))) != nil {}
            try? file.close()
        }
    }
}
