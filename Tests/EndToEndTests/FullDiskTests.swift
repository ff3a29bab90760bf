import Foundation
import Testing

extension EndToEnd {
    /// When the disk fills up, the server reports it and stops. Once there is room again, every acknowledged write is present.
    @Suite struct FullDiskTests {
        @Test func aFullDiskStopsTheServerWithANamedErrorAndLosesNothing() throws {
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
            #expect(record.acknowledged.count > 100)
            try disk.resize(bytes: 64 << 20)
            let second = try Server(data: data, in: folder)
            try Truth.expect(record, with: customers.map { $0.moved(to: second) })
            #expect(try second.stop() == 0)
        }
    }
}
