import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Mistakes of an operator of a cluster, with a real etcd: each is refused by name, and nothing is lost.
    @Suite(.enabled(if: Etcd.isThere, Etcd.isMissing)) struct ClusterOperatingTests {
        /// The nodes that a folder knows, and whether their last position counts as final.
        private static func known(_ cluster: Cluster, at node: Int) -> [String: Bool] {
            guard let notes = try? notes(of: cluster, at: node) else { return [:] }
            return notes.nodes.mapValues(\.isFinal)
        }

        /// The file in which a node keeps what it has seen of the others and of etcd.
        private struct Notes: Decodable {
            struct Node: Decodable { let isFinal: Bool }
            struct End: Decodable { let term: Int }
            let nodes: [String: Node]
            /// The last head of etcd.
            let end: End?
        }

        private static func notes(of cluster: Cluster, at node: Int) throws -> Notes {
            try JSONDecoder().decode(Notes.self, from: Data(contentsOf: URL(filePath: cluster.data(node) + "/cluster-nodes")))
        }

        private static func stopAll(_ nodes: [Int], of cluster: Cluster) throws {
            for node in nodes { #expect(try cluster.server(node).stop() == 0) }
        }

        @Test("A second process with the name of a living node does not start, and a node starts at once after its own crash")
        func oneNameTwice() throws {
            let cluster = try Cluster()
            try cluster.start(1)
            _ = try cluster.awaitWriter(alive: 1)
            let alone = try cluster.run("status", at: 2)
            #expect(alone.status == 3 && alone.output.contains("attention: no second node is alive"), "\(alone)")
            #expect(try cluster.server(1).client.send("GET", "/readyz").text.contains(#""code":"noSecondNode""#))
            let start = ["serve", "--dev", "--data", cluster.data(2), "--listen", "127.0.0.1:\(try FreePort.number())"]
            let second = try Program("greentea", start + cluster.options(cluster.name(1)), in: cluster.folder)
            #expect(try second.wait() == 2, "\(second.errors)")
            #expect(second.errors.contains("a node tea-1 is alive at http://127.0.0.1:\(try cluster.server(1).port)"), "\(second.errors)")
            #expect(second.output.isEmpty && !second.errors.contains("this node writes"), "\(second.output)\(second.errors)")
            try cluster.server(1).kill()
            try cluster.start(1)
            #expect(try cluster.awaitWriter(alive: 1) == 1)
        }

        @Test("A folder with another root secret, other settings or another's address is refused before it copies anything")
        func joining() throws {
            let cluster = try Cluster()
            try cluster.start(1)
            let (first, port) = (try cluster.server(1), try FreePort.number())
            func join(_ words: String...) throws -> Finished {
                let program = try Program(
                    "greentea",
                    ["cluster", "join", "--dev", "--listen", "127.0.0.1:\(port)", "--data", cluster.data(3)] + cluster.options("tea-3")
                        + words, in: cluster.folder)
                return Finished(status: try program.wait(), output: program.output, errors: program.errors)
            }
            func requireRefusal(_ words: String, _ finished: Finished) {
                #expect(finished.status == 2 && finished.errors.contains(words), "\(words): \(finished)")
            }
            _ = try cluster.awaitWriter(alive: 1)
            let good = try join()
            #expect(good.status == 0 && good.errors.contains("nothing answers at http://127.0.0.1:\(port) yet"), "\(good)")
            requireRefusal("operators, publicUrl, sms", try join("--operator", "+8613800000000"))
            requireRefusal("it is that of tea-1", try join("--advertise", "http://127.0.0.1:\(first.port)"))
            requireRefusal("does not lead to this node", try join("--advertise", cluster.etcd.url))
            requireRefusal("give --cluster alone", try join("--follow", "http://127.0.0.1:1"))
            requireRefusal("otherOrigin", try join("--origin", "other.example/stamps"))

            let stranger = cluster.folder.file("stranger")
            #expect(try Server(data: stranger, in: cluster.folder).stop() == 0)
            let (files, here) = (FileManager.default, cluster.data(3))
            try files.removeItem(atPath: here + "/master.key")
            try files.copyItem(atPath: stranger + "/master.key", toPath: here + "/master.key")
            requireRefusal("wrong master", try join())
            try files.removeItem(atPath: here + "/keys")
            try files.copyItem(atPath: stranger + "/keys", toPath: here + "/keys")
            requireRefusal("the root secret in the folder's keys, is not the cluster's", try join())
        }

        @Test("`doctor` warns of a restored backup until its node has followed all events and erasures of the cluster")
        func restored() throws {
            let cluster = try Cluster(), (copies, keys) = (cluster.folder.file("copies"), cluster.folder.file("copied-keys"))
            let (files, here) = (FileManager.default, cluster.data(3))
            func audit(_ words: String...) throws -> Finished {
                let program = try Program("greentea-audit", words, in: cluster.folder)
                return Finished(status: try program.wait(), output: program.output, errors: program.errors)
            }
            #expect(try audit("backup", "--data", cluster.data(1), "--in", copies, "--keys", keys).status == 0)
            let backup = try #require(try files.contentsOfDirectory(atPath: copies).first { !$0.hasPrefix(".") })
            try files.removeItem(atPath: here)
            #expect(try audit("restore", "--from", copies + "/" + backup, "--keys", keys, "--data", here).status == 0)
            try files.copyItem(atPath: cluster.data(1) + "/master.key", toPath: here + "/master.key")
            #expect(try audit("doctor", "--data", here).output.contains("warning  restore: "))
            for node in [1, 3] { try cluster.start(node) }
            _ = try cluster.awaitWriter(alive: 2)
            try eventually("the note of the restore is gone") { !files.fileExists(atPath: here + "/last-restore") }
            let after = try audit("doctor", "--data", here)
            #expect(!after.output.contains("restore: "), "\(after.output)")

            // A cluster that begins with a restored backup has no event of the erasures after that.
            try Self.stopAll([1, 3], of: cluster)
            try cluster.emptyEtcd()
            for node in [1, 3] { try Data("events 0\n".utf8).write(to: URL(filePath: cluster.data(node) + "/last-restore")) }
            let begun = try cluster.run("init", "--accept-lost-events", at: 1)
            #expect(begun.status == 0, "\(begun)")
            for node in [1, 3] { try cluster.start(node) }
            try eventually("the note of the joined node is gone") { !files.fileExists(atPath: here + "/last-restore") }
            // It notes the nodes in the same pass in which it would remove the note of the restore.
            try eventually("the node that began has looked") { Set(Self.known(cluster, at: 1).keys) == ["tea-1", "tea-3"] }
            #expect(try audit("doctor", "--data", cluster.data(1)).output.contains("warning  restore: "))
        }

        @Test("An emptied etcd takes no log that may be shorter than that of a node that is down")
        func shorterLogs() throws {
            let cluster = try Cluster()
            for node in [1, 2] { try cluster.start(node) }
            _ = try cluster.awaitWriter(alive: 2)
            let counter = try Cluster.repeating { try Counter.open(at: cluster.server(1), phone: 2) }
            try cluster.awaitStatus("both have all events") { $0.nodes.count == 2 && $0.nodes.allSatisfy { $0.lag == 0 } }
            try eventually("both folders know both nodes") {
                [1, 2].allSatisfy { Self.known(cluster, at: $0) == ["tea-1": false, "tea-2": false] }
            }
            try Self.stopAll([2], of: cluster)
            #expect(try cluster.awaitWriter(alive: 1) == 1)
            _ = try Cluster.repeating { try counter.code() }
            try Self.stopAll([1], of: cluster)

            try cluster.emptyEtcd()
            for command in ["init", "reseed"] {
                let shorter = try cluster.run(command, at: 2)
                #expect(shorter.status == 2 && shorter.errors.contains("may have later ones: tea-1, last seen"), "\(shorter)")
            }
            let longest = try cluster.run("reseed", at: 1)
            #expect(longest.status == 2 && longest.errors.contains("may have later ones: tea-2, last seen"), "\(longest)")
            let copy = try cluster.run("reseed", at: 3)
            #expect(copy.status == 2 && copy.errors.contains("may be an older copy"), "\(copy)")
            try Data("events 0\n".utf8).write(to: URL(filePath: cluster.data(3) + "/last-restore"))
            let restored = try cluster.run("init", at: 3)
            #expect(restored.status == 2 && restored.errors.contains("may be an older copy"), "\(restored)")
            // A backup that was restored into a folder which was served leaves its notes.
            let notes = URL(filePath: cluster.data(3) + "/cluster-nodes")
            try Data(#"{"nodes":{"tea-3":{"isFinal":true,"position":7,"seen":0}}}"#.utf8).write(to: notes)
            for command in ["init", "reseed"] {
                let older = try cluster.run(command, at: 3)
                #expect(older.status == 2 && older.errors.contains("may be an older copy"), "\(older)")
            }

            // They tell each other where their logs end.
            for node in [1, 2] { try cluster.start(node) }
            try eventually("each folder knows where the other's log ends") {
                [1, 2].allSatisfy { Self.known(cluster, at: $0) == ["tea-1": true, "tea-2": true] }
            }
            try Self.stopAll([1], of: cluster)
            // An etcd of a snapshot tells what nodes had then, for as long as their leases there last.
            let ends = URL(filePath: cluster.data(1) + "/cluster-nodes"), told = try Data(contentsOf: ends)
            try Data(#"{"nodes":{"tea-2":{"isFinal":true,"position":1000000,"seen":0}}}"#.utf8).write(to: ends)
            let earlier = try cluster.run("reseed", at: 1)
            #expect(earlier.status == 2 && earlier.errors.contains("the node tea-2 has events through 1000000"), "\(earlier)")
            try told.write(to: ends)
            try Self.stopAll([2], of: cluster)
            let known = try cluster.run("reseed", at: 2)
            #expect(known.status == 2 && known.errors.contains("the node tea-1 has events through"), "\(known)")
            let last = try #require(Self.notes(of: cluster, at: 1).end?.term)
            let given = try cluster.run("reseed", at: 1)
            #expect(given.status == 0 && given.output.contains("etcd has the end of this log now"), "\(given)")
            #expect(last > 1 && given.output.contains("term \(last + 1);"), "\(given), after \(last)")
            for node in [1, 2] { try cluster.start(node) }
            _ = try cluster.awaitWriter(alive: 2)
            #expect(try Cluster.repeating { try counter.moved(to: cluster.server(2)).code() }.code.isEmpty == false)
        }

        @Test("A member does not start alone, `join` asks for the events that nothing has, and `status` names who and what is not there")
        func missingParts() throws {
            let cluster = try Cluster(), listen = "127.0.0.1:\(try FreePort.number())"
            for node in [1, 2] { try cluster.start(node) }
            _ = try cluster.awaitWriter(alive: 2)
            let counter = try Cluster.repeating { try Counter.open(at: cluster.server(1), phone: 2) }
            try cluster.awaitStatus("both have all events") { $0.nodes.count == 2 && $0.nodes.allSatisfy { $0.lag == 0 } }
            try eventually("the first folder knows both nodes") { Set(Self.known(cluster, at: 1).keys) == ["tea-1", "tea-2"] }
            try Self.stopAll([2], of: cluster)
            #expect(try cluster.awaitWriter(alive: 1) == 1)
            _ = try Cluster.repeating { try counter.code() }
            let silent = try cluster.run("status", at: 1)
            #expect(silent.status == 3 && silent.output.contains("attention: tea-2, last seen 20"), "\(silent)")

            // As if the writer had trimmed it.
            let keys = try cluster.etcd.keys(), head = try #require(keys.first { $0.hasSuffix("/head") })
            try cluster.etcd.remove(try #require(keys.filter { $0.contains("/batch/") }.min()))
            let living = try cluster.run("join", "--dev", "--listen", listen, at: 3)
            #expect(living.status == 0, "\(living)")
            try Self.stopAll([1], of: cluster)
            let incomplete = try cluster.run("join", "--dev", "--listen", listen, at: 3)
            #expect(incomplete.status == 2 && incomplete.errors.contains("nor a living node has the next event"), "\(incomplete)")

            let alone = try Program("greentea", ["serve", "--dev", "--data", cluster.data(1), "--listen", listen], in: cluster.folder)
            #expect(try alone.wait() == 2 && alone.errors.contains("in a cluster, with tea-1, tea-2, and"), "\(alone.errors)")
            try FileManager.default.removeItem(atPath: cluster.data(2) + "/cluster-nodes")
            #expect(try Server(data: cluster.data(2), in: cluster.folder).stop() == 0)

            // A node writes in an etcd that has lost this folder's events.
            try cluster.etcd.remove(head)
            let begun = try cluster.run("init", "--accept-lost-events", at: 3)
            #expect(begun.status == 0, "\(begun)")
            try cluster.start(3)
            #expect(try cluster.awaitWriter(alive: 1) == 3)
            let ahead = try cluster.run("status", at: 1)
            #expect(ahead.status == 1 && ahead.output.contains("events, the shared log 0: if etcd has lost events"), "\(ahead)")
        }

        @Test("Where somebody has removed the head, entries show that a log is shorter, and giving them up leaves none of them")
        func removedHead() throws {
            let cluster = try Cluster()
            for node in [1, 2] { try cluster.start(node) }
            _ = try cluster.awaitWriter(alive: 2)
            try Cluster.repeating { try cluster.server(1).client.signIn(4) }
            try Self.stopAll([2, 1], of: cluster)
            let keys = try cluster.etcd.keys()
            let head = try #require(keys.first { $0.hasSuffix("/head") })
            #expect(keys.contains { $0.contains("/batch/") })
            try cluster.etcd.remove(head)

            let shorter = try cluster.run("init", at: 3)
            #expect(shorter.status == 2 && shorter.errors.contains("etcd still has entries through"), "\(shorter)")
            #expect(try !cluster.etcd.keys().contains(head))
            let given = try cluster.run("init", "--accept-lost-events", at: 3)
            #expect(given.status == 0 && given.output.contains("begins at position 0"), "\(given)")
            #expect(try cluster.etcd.keys() == [head])
            let ahead = try cluster.run("join", at: 1)
            #expect(ahead.status == 2 && ahead.errors.contains("the cluster at 0"), "\(ahead)")
        }

        @Test("An etcd that is full is named in /readyz, by `status` and by the start, and reads go on")
        func fullEtcd() throws {
            let cluster = try Cluster(etcdOptions: ["--quota-backend-bytes", "4194304"])
            let (key, value) = (Data("/filler".utf8).base64EncodedString(), Data(count: 200_000).base64EncodedString())
            let file = cluster.folder.file("filler")
            try #"{"key":"\#(key)","value":"\#(value)"}"#.write(toFile: file, atomically: true, encoding: .utf8)
            try eventually("etcd is full") {
                let words = ["--silent", "--data", "@" + file, cluster.etcd.url + "/v3/kv/put"]
                let put = try Program("/usr/bin/curl", words, in: cluster.folder)
                return try put.wait() == 0 && put.output.contains("database space exceeded")
            }
            try cluster.start(1)
            #expect(try cluster.server(1).program.errors.contains("alarm NOSPACE"))
            let client = try cluster.server(1).client
            try eventually("it is in /readyz") { try client.send("GET", "/readyz").text.contains(#""code":"engineNearlyFull""#) }
            #expect(try client.send("GET", "/v1/shops").status == 200)
            let status = try cluster.run("status", at: 1)
            #expect(status.status == 1 && status.output.contains("attention: etcd's database is full"), "\(status)")
        }

        @Test(
            "Over TLS, a node shows etcd its certificate, and passes writes and keys on to another node by https",
            .enabled(if: Certificates.isThere, "there is no openssl"))
        func encrypted() throws {
            let cluster = try Cluster(isEncrypted: true)
            for node in [1, 2] { try cluster.start(node) }
            let writer = try cluster.awaitWriter(alive: 2), phone = "+8613800131001"
            struct Sent: Decodable { let devCode: String }
            var code: String?
            // The writer's answer, through the node that follows.
            try eventually("a code by the follower") {
                let sent = try cluster.ask(3 - writer, "/v1/verifications", json: #"{"phone":"\#(phone)"}"#)
                code = try? JSONDecoder().decode(Sent.self, from: Data(sent.output.utf8)).devCode
                return code != nil
            }
            // A registration needs the new key on the follower's disk first.
            let proof = #"{"phone":"\#(phone)","code":"\#(try #require(code))"}"#
            try eventually("a registration by the follower") {
                let session = try cluster.ask(3 - writer, "/v1/sessions", json: proof)
                return session.status == 0 && session.output.contains("accessToken")
            }
            try cluster.awaitStatus("the follower has the events") { $0.nodes.count == 2 && $0.nodes.allSatisfy { $0.lag == 0 } }
        }
    }
}
