import Foundation
import Testing

extension EndToEnd {
    /// A second server that copies the log of the first, answers reads, and takes its place.
    @Suite struct FollowTests {
        /// A copy of a stopped server's folder, as a restored backup is.
        private static func copy(of folder: TemporaryFolder) throws -> String {
            let copy = folder.file("follower")
            try FileManager.default.copyItem(atPath: folder.data, toPath: copy)
            return copy
        }

        @Test("A follower shows what the leader accepts, passes writes on, and takes the killed leader's place without losing a stamp")
        func takesOver() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let other = try Self.copy(of: folder)
            let leader = try Server(data: folder.data, in: folder)
            let follower = try Server(data: other, in: folder, options: ["--follow", "http://127.0.0.1:\(leader.port)"])

            // A new shop and a new customer, whose keys the copy does not have.
            let counter = try Counter.open(at: leader, phone: 2)
            let customer = leader.client
            try customer.signIn(3)
            let first: StampBody = try customer.stamp(try counter.code().code, key: "first").read(status: 201)
            let elsewhere = customer.moved(to: follower)
            #expect(try elsewhere.cards().map(\.stamps) == [1])
            #expect(try elsewhere.send("GET", "/v1/me").text == customer.send("GET", "/v1/me").text)
            #expect(try follower.client.send("GET", "/readyz").text.contains(#""following":{"lag":0}"#))

            // A write at the follower reaches the leader, and its next read here shows it.
            let code = try counter.moved(to: follower).code().code
            let second: StampBody = try elsewhere.stamp(code, key: "second").read(status: 201)
            #expect(second.position > first.position)
            #expect(try elsewhere.cards().map(\.stamps) == [2])

            leader.kill()
            #expect(try elsewhere.cards().map(\.stamps) == [2], "a read needs no leader")
            let refused = try elsewhere.stamp("ABCDEFGHIJ", key: "third")
            #expect(refused.status == 503 && refused.headers["retry-after"] != nil, "\(refused.text)")
            #expect(try follower.stop() == 0)

            let next = try Server(data: other, in: folder)
            let moved = customer.moved(to: next)
            let replay: StampBody = try moved.stamp(code, key: "second").read(status: 201)
            #expect(replay.position == second.position, "a retry gets the answer of the leader")
            let third: StampBody = try moved.stamp(try counter.moved(to: next).code().code, key: "third").read(status: 201)
            #expect(third.position > second.position)
            #expect(try moved.stamps() == 3)
            #expect(try next.stop() == 0)
            let checked = try Program.run(
                "greentea-audit", "verify", "--data", other, "--checkpoint", folder.data + "/checkpoint", in: folder)
            #expect(checked.status == 0, "the leader's log is the beginning of its successor's: \(checked.output)\(checked.errors)")
        }
    }
}
