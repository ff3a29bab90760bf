import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Three processes of one cluster, with a real etcd.
    @Suite(.enabled(if: Etcd.isThere, Etcd.isMissing)) struct ClusterTests {
        /// A cluster that serves, a shop, and a customer.
        private static func story() throws -> (cluster: Cluster, writer: Int, counter: Counter, customer: Client) {
            let cluster = try Cluster()
            for node in Cluster.nodes { try cluster.start(node) }
            let writer = try cluster.awaitWriter(alive: 3), near = try #require(Cluster.nodes.first { $0 != writer })
            let counter = try Cluster.repeating { try Counter.open(at: cluster.server(near), phone: 2) }
            let customer = try cluster.server(near).client
            try Cluster.repeating { try customer.signIn(3) }
            return (cluster, writer, counter, customer)
        }

        private static func stamp(_ code: String, key: String, by client: Client) throws -> StampBody {
            try Cluster.repeating { try client.stamp(code, key: key).read(status: 201) }
        }

        @Test("Another node takes the killed writer's place without losing or doubling a stamp, and gives it back when asked")
        func takesOver() throws {
            let (cluster, writer, counter, customer) = try Self.story()
            let code = try counter.code().code
            let first = try Self.stamp(code, key: "first", by: customer)

            try cluster.server(writer).kill()
            let second = try cluster.awaitWriter(otherThan: writer, alive: 2)
            let third = try #require(Cluster.nodes.first { $0 != writer && $0 != second })
            for node in [second, third] {
                let again = try Self.stamp(code, key: "first", by: customer.moved(to: cluster.server(node)))
                #expect(again.position == first.position, "a retry gets the first answer at \(node)")
            }
            let there = try customer.moved(to: cluster.server(third))
            let next = try Cluster.repeating { try counter.moved(to: cluster.server(third)).code().code }
            #expect(try Self.stamp(next, key: "second", by: there).position > first.position)
            #expect(try there.stamps() == 2)

            try cluster.start(writer)
            try cluster.awaitStatus("the restarted node has all events") { $0.nodes.count == 3 && $0.nodes.allSatisfy { $0.lag == 0 } }
            let unknown = try cluster.run("promote", "tea-9", at: 1)
            #expect(unknown.status == 1 && unknown.errors.contains("is alive. Alive: tea-1, tea-2, tea-3"), "\(unknown)")
            let promoted = try cluster.run("handover", "--to", cluster.name(writer), at: third)
            #expect(promoted.status == 0 && promoted.output == "\(cluster.name(writer)) writes\n", "\(promoted)")
            let last = try Cluster.repeating { try counter.moved(to: cluster.server(second)).code().code }
            #expect(try Self.stamp(last, key: "third", by: there).card.stamps == 3)
            try Self.requireEqualLogs(of: cluster)
        }

        /// The last checkpoint of a log that has stopped is for all of its events.
        private static func requireEqualLogs(of cluster: Cluster) throws {
            let status = try cluster.awaitStatus("all nodes have all events") { $0.nodes.count == 3 && $0.nodes.allSatisfy { $0.lag == 0 } }
            #expect(!status.nodes.contains { $0.otherSettings })
            let writer = try #require(Cluster.nodes.first { cluster.name($0) == status.writer })
            // The writer last, so that no other node claims in between.
            for node in Cluster.nodes.filter({ $0 != writer }) + [writer] { #expect(try cluster.server(node).stop() == 0) }
            let checkpoints = try Cluster.nodes.map { try String(contentsOfFile: cluster.data($0) + "/checkpoint", encoding: .utf8) }
            #expect(Set(checkpoints).count == 1, "\(checkpoints)")
            for node in Cluster.nodes {
                let checked = try Program.run("greentea-audit", "verify", "--data", cluster.data(node), in: cluster.folder)
                #expect(checked.status == 0, "\(checked)")
            }
        }

        @Test("A writer that was frozen during a take-over ends with exit code 3, and a stamp sent to it counts once")
        func frozen() throws {
            let (cluster, writer, counter, customer) = try Self.story()
            let code = try counter.code().code, old = try cluster.server(writer)
            old.program.kill(SIGSTOP)
            let next = try cluster.awaitWriter(otherThan: writer, alive: 2)
            old.program.kill(SIGCONT)
            // The process may end before it answers.
            let late = try? customer.moved(to: old).stamp(code, key: "late")
            #expect(try old.program.wait() == 3, "\(old.program.errors)")
            let there = try customer.moved(to: cluster.server(next))
            let retried = try Self.stamp(code, key: "late", by: there)
            if let late, late.status == 201 { #expect(try late.read(StampBody.self, status: 201).position == retried.position) }
            #expect(try there.stamps() == 1)
        }

        @Test("Commands find what keeps a folder from its cluster, and give an emptied etcd the end of the longest log")
        func commands() throws {
            let cluster = try Cluster()
            let again = try cluster.run("init", at: 2)
            #expect(again.status == 0 && again.output.contains("has begun already"), "\(again)")
            let listen = "127.0.0.1:\(try FreePort.number())"
            let joined = try cluster.run("join", "--dev", "--listen", listen, at: 2)
            #expect(joined.status == 0 && joined.output.contains("it lacks 0 events"), "\(joined)")
            let idle = try cluster.run("status", at: 1)
            #expect(idle.status == 1 && idle.output.contains("position 0, term 1"), "\(idle)")

            // A folder that was served by itself.
            let alone = try Server(data: cluster.data(3), in: cluster.folder)
            try alone.client.signIn(4)
            let busy = try cluster.run("reseed", at: 3)
            #expect(busy.status == 2 && busy.errors.contains("Stop it first"), "\(busy)")
            #expect(try alone.stop() == 0)
            let ahead = try cluster.run("join", at: 3)
            #expect(ahead.status == 2 && ahead.errors.contains("the cluster at 0"), "\(ahead)")
            let begun = try cluster.run("init", at: 3)
            #expect(begun.status == 2 && begun.errors.contains("has a cluster already"), "\(begun)")

            // For etcd, the same as if it had lost the newest events.
            let reseeded = try cluster.run("reseed", "--accept-lost-events", at: 3)
            #expect(reseeded.status == 0 && reseeded.output.contains("term 10001"), "\(reseeded)")
            let same = try cluster.run("reseed", at: 3)
            #expect(same.status == 0 && same.output.contains("already"), "\(same)")
            let behind = try cluster.run("reseed", at: 2)
            #expect(behind.status == 2 && behind.errors.contains("etcd lacks nothing of it"), "\(behind)")
        }
    }

    /// Settings of a cluster that cannot be meant, without etcd.
    @Suite struct ClusterSettingTests {
        private static let cluster = ["--cluster", "http://127.0.0.1:1"]

        @Test("Settings of a cluster that contradict each other are refused by name, and no folder is made")
        func refused() throws {
            let folder = try TemporaryFolder()
            let cases: [([String], String)] = [
                (["--node", "tea-1"], "node (flag --node) is not as it must be: it is given without cluster: give --cluster"),
                (["--cluster-user", "tea"], "it is given without clusterPasswordFile"),
                (Self.cluster + ["--cluster-key", "key.pem"], "it is given without clusterCertificate"),
                (Self.cluster + ["--node", "Tea 1"], "node (flag --node)"),
                (Self.cluster + ["--node", "tea-1", "--advertise", "tea"], "advertise (flag --advertise)"),
                (Self.cluster + ["--node", "tea-1", "--advertise", "http://10.0.0.1"], "--advertise over http:// to 10.0.0.1"),
                (["--cluster", "http://127.0.0.1:1,http://10.0.0.2:2379", "--node", "tea-1"], "--cluster over http:// to 10.0.0.2"),
                (["--cluster", "ftp://127.0.0.1:1", "--node", "tea-1"], "cluster (flag --cluster)"),
                (Self.cluster + ["--node", "tea-1", "--follow", "http://127.0.0.1:1"], "give --cluster alone"),
                (Self.cluster + ["--node", "tea-1"], "this node's address for the others: --advertise URL"),
                (Self.cluster + ["--node", "tea-1", "--advertise", "http://127.0.0.1:2"], "has no log with its keys"),
            ]
            for (arguments, words) in cases {
                let start = ["serve", "--dev", "--data", folder.data, "--listen", "127.0.0.1:0"] + arguments
                let program = try Program("greentea", start, in: folder)
                #expect(try program.wait() == 2 && program.errors.contains(words), "\(arguments): \(program.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.data))
        }

        @Test("A node serves reads while no etcd answers, and the commands say that none does")
        func silent() throws {
            let folder = try TemporaryFolder()
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            let options = Self.cluster + ["--node", "tea-1", "--advertise", "http://127.0.0.1:2"]
            let server = try Server(data: folder.data, in: folder, options: options)
            #expect(server.program.errors.contains("no endpoint of etcd answers"), "\(server.program.errors)")
            #expect(try server.client.send("GET", "/v1/shops").status == 200)
            func requireNoAnswer(of command: String) throws {
                let program = try Program("greentea", ["cluster", command, "--data", folder.data] + options, in: folder)
                #expect(try program.wait() == 2 && program.errors.contains("no endpoint of etcd answers"), "\(program.errors)")
            }
            try requireNoAnswer(of: "status")
            try requireNoAnswer(of: "join")
            #expect(try server.stop() == 0)
            try requireNoAnswer(of: "init")
            let none = try Program("greentea", ["cluster", "status", "--data", folder.data], in: folder)
            #expect(try none.wait() == 2 && none.errors.contains("etcd: --cluster URLS"), "\(none.errors)")
            let config = try Program("greentea", ["config", "--dev", "--data", folder.data, "--follow-ca", "ca.pem"], in: folder)
            #expect(try config.wait() == 0 && config.output.contains("flag --node-ca"), "\(config.output)")
        }
    }
}
