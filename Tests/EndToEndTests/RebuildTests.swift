import Foundation
import Seeds
import Testing

extension EndToEnd {
    /// `greentea-rebuild` beside a server under load.
    @Suite struct RebuildTests {
        /// A server with a shop and customers.
        private struct Site {
            let folder: TemporaryFolder
            let server: Server
            let counter: Counter
            let customers: [Client]
            let record = LoadRecord()

            init() throws {
                folder = try TemporaryFolder()
                let server = try Server(data: folder.data, in: folder)
                self.server = server
                counter = try Counter.open(at: server, goal: 5)
                customers = try (1...Load.customers).map { number in
                    let client = server.client
                    try client.signIn(number)
                    return client
                }
            }

            func load(_ name: String, seconds: Double, isRefusalAllowed: Bool = false) throws {
                try Load(record: record, name: name).run(
                    customers, at: counter, on: server, seconds: seconds, isRefusalAllowed: isRefusalAllowed)
            }
        }

        @Test("The server keeps running during rebuilds and serves each new generation, also after a rollback")
        func keepsRunning() throws {
            let site = try Site()
            let folder = site.folder
            try site.load("before", seconds: 0.5)
            let rebuilds = Later {
                try (0..<2).map { _ in try Program.run("greentea-rebuild", "--data", folder.data, "--json", in: folder) }
            }
            try site.load("meanwhile", seconds: 3)
            for finished in try rebuilds.value() {
                #expect(finished.status == 0, "\(finished.errors)")
                let switched = finished.lines.filter { $0.contains(#""switchedBy":"server""#) }
                #expect(finished.lines.count == 9 && switched.count == 9, "\(finished.output)")
            }
            try Truth.expect(site.record, with: site.customers)
            let back = try Program.run("greentea-rebuild", "--data", folder.data, "--rollback", in: folder)
            #expect(back.status == 0 && back.lines.allSatisfy { $0.contains("-g2  ") }, "\(back.output)\(back.errors)")
            let forgotten = try Program.run("greentea-rebuild", "--data", folder.data, "--forget-old", in: folder)
            #expect(forgotten.status == 0 && forgotten.lines.count == 9 && forgotten.lines.allSatisfy { $0.contains("-g3  removed") })
            try Truth.expect(site.record, with: site.customers)
            #expect(try site.server.stop() == 0)
            try ReplayTests.expectOneDigest(of: folder)
        }

        /// Six rebuilds are killed with `kill -9` at random moments.
        @Test("Killed rebuilds leave models that are served and can be rebuilt")
        func killedRebuilds() throws {
            let site = try Site()
            let folder = site.folder
            try site.load("before", seconds: 0.5)
            let rebuilds = Later {
                var random = SeededRandom.announced("killedRebuilds")
                for _ in 0..<6 {
                    var watch = ModelsWatch(folder.data)
                    let program = try Program("greentea-rebuild", ["--data", folder.data, "--check"], in: folder)
                    try watch.wait(steps: random.int(1...20)) { !program.isRunning }
                    program.kill(SIGKILL)
                    _ = try program.wait()
                }
                return try Program.run("greentea-rebuild", "--data", folder.data, "--discard-old", in: folder)
            }
            try site.load("meanwhile", seconds: 2)
            let last = try rebuilds.value()
            #expect(last.status == 0 && last.lines.count == 9, "\(last.errors)")
            try Truth.expect(site.record, with: site.customers)
            #expect(try site.server.stop() == 0)
            try ReplayTests.expectOneDigest(of: folder)
        }

        /// The server is killed with `kill -9` during the second of three rebuilds. The third one switches the generation itself.
        @Test("A killed server leaves complete models, and rebuilds succeed without it")
        func killedServer() throws {
            let site = try Site()
            let folder = site.folder
            let pid = site.server.program.pid
            let rebuilds = Later {
                try (0..<3).map { number in
                    guard number == 1 else { return try Program.run("greentea-rebuild", "--data", folder.data, in: folder) }
                    var random = SeededRandom.announced("killedServer"), watch = ModelsWatch(folder.data)
                    let rebuild = Later { try Program.run("greentea-rebuild", "--data", folder.data, in: folder) }
                    try watch.wait(steps: random.int(1...20)) { rebuild.isOver }
                    kill(pid, SIGKILL)
                    return try rebuild.value()
                }
            }
            try site.load("until-the-end", seconds: 20, isRefusalAllowed: true)
            for finished in try rebuilds.value() { #expect(finished.status == 0, "\(finished.errors)") }
            _ = try site.server.program.wait()
            let again = try Server(data: folder.data, in: folder)
            try Truth.expect(site.record, with: site.customers.map { $0.moved(to: again) })
            #expect(try again.stop() == 0)
            try ReplayTests.expectOneDigest(of: folder)
        }

        @Test("An impossible rebuild is refused with the reason, and wrong arguments are a usage error")
        func impossibleRequests() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let back = try Program.run("greentea-rebuild", "--data", folder.data, "--rollback", in: folder)
            #expect(back.status == 2 && back.errors.contains("no previous generation"), "\(back.errors)")
            let strange = try Program.run("greentea-rebuild", "--data", folder.data, "--model", "nonsense", in: folder)
            #expect(strange.status == 2 && strange.errors.contains("card-progress"))
            for wrong in [["--memory", "1"], ["--rollback", "--forget-old"], ["--keep", "--discard-old"]] {
                let program = try Program("greentea-rebuild", ["--data", folder.data] + wrong, in: folder)
                #expect(try program.wait() == 64)
            }
            #expect(try server.stop() == 0)
        }
    }
}
