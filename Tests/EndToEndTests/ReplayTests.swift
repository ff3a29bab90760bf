import Foundation
import Testing

extension EndToEnd {
    /// `greentea-replay` on a folder that a server has filled.
    @Suite struct ReplayTests {
        @Test("Selected events are printed beside a running server")
        func selectedEvents() throws {
            let folder = try TemporaryFolder()
            let (server, card) = try Self.story(in: folder)
            let all = try Program.run("greentea-replay", "--data", folder.data, in: folder)
            #expect(all.status == 0, "\(all.errors)")
            let until = try Program.run("greentea-replay", "--data", folder.data, "--until", "5", in: folder)
            #expect(until.lines == Array(all.lines.prefix(5)))
            let stamped = try Program.run("greentea-replay", "--data", folder.data, "--type", "CardStamped", in: folder)
            #expect(stamped.lines == all.lines.filter { $0.contains(" CardStamped ") })
            #expect(stamped.lines.count == 3)
            let ofCard = try Program.run("greentea-replay", "--data", folder.data, "--tag", "card:\(card)", in: folder)
            #expect(ofCard.lines == all.lines.filter { $0.contains("card=\(card)") })
            #expect(ofCard.lines.count == 4)
            #expect(all.lines.enumerated().allSatisfy { $0.element.hasPrefix("\($0.offset + 1) ") }, "positions are dense from 1")
            #expect(try server.stop() == 0)
        }

        @Test("Every line of the JSON output is valid JSON and shows no phone number")
        func validJSON() throws {
            let folder = try TemporaryFolder()
            let (server, _) = try Self.story(in: folder)
            let json = try Program.run("greentea-replay", "--data", folder.data, "--format", "jsonl", in: folder)
            #expect(json.status == 0)
            let positions = try json.lines.map { try JSONDecoder().decode(EventLine.self, from: Data($0.utf8)).position }
            #expect(positions == Array(1...UInt64(max(1, positions.count))))
            #expect(!json.output.contains("+8613"), "phone numbers are sealed")
            #expect(try server.stop() == 0)
        }

        @Test(
            "A wrong argument of greentea-replay is a usage error with a message",
            arguments: [
                ["--tag", "card:nonsense"], ["--type", "Nonsense"], ["--until", "soon"], ["--format", "xml"], ["--digest", "--compare"],
                ["--bisect"],
            ])
        func wrongUseIsNamed(arguments: [String]) throws {
            let folder = try TemporaryFolder()
            let program = try Program("greentea-replay", ["--data", folder.data] + arguments, in: folder)
            #expect(try program.wait() == 64)
            #expect(!program.errors.isEmpty)
        }

        @Test("A missing data folder is reported with its path and not created")
        func withoutDataItSaysSo() throws {
            let folder = try TemporaryFolder()
            for tool in ["greentea-replay", "greentea-rebuild"] {
                let finished = try Program.run(tool, "--data", folder.data, in: folder)
                #expect(finished.status == 2 && finished.errors.contains(folder.data), "\(tool): \(finished.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.data))
        }

        @Test("The digest is the same for every copy of the log")
        func sameDigest() throws {
            let folder = try TemporaryFolder()
            let (server, _) = try Self.story(in: folder)
            let live = try Self.digest(of: folder.data, in: folder)
            #expect(try server.stop() == 0)
            #expect(try Self.digest(of: folder.data, in: folder) == live)
            try Self.expectOneDigest(of: folder)
        }

        @Test("A flipped byte in a model is reported as a difference, and a rebuild repairs the model")
        func flippedByte() throws {
            let folder = try TemporaryFolder()
            let (server, _) = try Self.story(in: folder)
            let live = try Program.run("greentea-replay", "--data", folder.data, "--compare", in: folder)
            #expect(live.status == 0, "\(live.output)\(live.errors)")
            #expect(try server.stop() == 0)
            try Self.corruptCard(under: folder.data + "/derived/models")
            let broken = try Program.run("greentea-replay", "--data", folder.data, "--compare", in: folder)
            #expect(broken.status == 1)
            #expect(broken.output.contains("different") && broken.output.contains("card"), "\(broken.output)")
            let rebuilt = try Program.run("greentea-rebuild", "--data", folder.data, in: folder)
            #expect(rebuilt.status == 0, "\(rebuilt.errors)")
            let mended = try Program.run("greentea-replay", "--data", folder.data, "--compare", in: folder)
            #expect(mended.status == 0, "\(mended.output)")
            #expect(mended.lines.count > 1 && mended.lines.allSatisfy { $0.hasPrefix("equal") })
        }

        /// Checks that the live folder, a copy, and a copy without derived files have the same digest, and that the models match the log.
        ///
        /// Then removes the live folder's derived files and lets a server make them again. Afterwards, the live folder must have the same
        /// digest, and its models must match the log.
        static func expectOneDigest(of folder: TemporaryFolder) throws {
            let digest = try digest(of: folder.data, in: folder)
            let compared = try Program.run("greentea-replay", "--data", folder.data, "--compare", in: folder)
            #expect(compared.status == 0, "\(compared.output)\(compared.errors)")
            let copy = folder.file("copy-\(UUID().uuidString)")
            try FileManager.default.copyItem(atPath: folder.data, toPath: copy)
            #expect(try self.digest(of: copy, in: folder) == digest)
            try FileManager.default.removeItem(atPath: copy + "/derived")
            #expect(try self.digest(of: copy, in: folder) == digest)
            try FileManager.default.removeItem(atPath: folder.data + "/derived")
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            #expect(try self.digest(of: folder.data, in: folder) == digest)
            #expect(try Program.run("greentea-replay", "--data", folder.data, "--compare", in: folder).status == 0)
        }

        private static func digest(of data: String, in folder: TemporaryFolder) throws -> String {
            let finished = try Program.run("greentea-replay", "--data", data, "--digest", in: folder)
            guard finished.status == 0, !finished.output.isEmpty else { throw TestFailure("no digest: \(finished.errors)") }
            return finished.output
        }

        /// Starts a server with a shop, a customer whose card has three stamps, and a review. The models may still be behind when this
        /// function returns.
        static func story(in folder: TemporaryFolder) throws -> (Server, card: String) {
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            var card = ""
            for time in 1...3 {
                let stamped: StampBody = try customer.stamp(try counter.code().code, key: "visit-\(time)").read(status: 201)
                card = stamped.card.id
            }
            let review = #"{"rating":5,"text":"最好的茶"}"#
            #expect(try customer.send("POST", "/v1/shops/\(counter.shop)/reviews", json: review).status == 201)
            return (server, card)
        }

        /// Removes one stamp from every copy of the card's row in the models' files. It finds the copies by the first bytes of the row,
        /// which include the goal and the number of stamps.
        static func corruptCard(under path: String) throws {
            let head = Data([3, 1, 0, 1, 10, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])
            var found = 0
            for name in FileManager.default.subpaths(atPath: path) ?? [] where name.hasSuffix("data.mdb") {
                let url = URL(filePath: path + "/" + name)
                let bytes = try Data(contentsOf: url)
                let file = try FileHandle(forUpdating: url)
                var rest = bytes[...]
                while let place = rest.range(of: head) {
                    // A server may have the file open.
                    try file.seek(toOffset: UInt64(place.lowerBound + 8))
                    try file.write(contentsOf: Data([bytes[place.lowerBound + 8] ^ 1]))
                    rest = rest[place.upperBound...]
                    found += 1
                }
                try file.close()
            }
            #expect(found > 0, "a model's file contains the card")
        }
    }
}

/// The fields of an event's line that these tests check.
private struct EventLine: Decodable {
    let position: UInt64
}
