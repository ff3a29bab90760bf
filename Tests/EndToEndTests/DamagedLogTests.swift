import Foundation
import Patience
import Testing

extension EndToEnd {
    /// `greentea-audit` on a log with changed bytes, and with output paths that it cannot write.
    @Suite struct DamagedLogTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func audit(_ arguments: String...) throws -> Finished {
            let program = try Program("greentea-audit", arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        /// Imports a shop with this many visits.
        private func imported(visits: Int = 40) throws {
            let lines = (0..<visits).map { number in
                // Days, hours and minutes begin at 10, so that each number has two digits. Each hour has 50 visits, one minute apart.
                let (day, hour, minute) = (number / 500 % 19 + 10, number / 50 % 10 + 10, number % 50 + 10)
                return "2024-03-\(day)T\(hour):\(minute):00Z,ANON-\(number % 7),Latte,38.7"
            }
            let file = folder.file("visits.csv")
            let text = (["visited_at,customer,item,amount"] + lines).map { $0 + "\n" }.joined()
            try Data(text.utf8).write(to: URL(filePath: file))
            let arguments = ["import", "--data", folder.data, "--visits", file, "--shop", "Coffee", "--goal", "10"]
            let made = try Program("greentea", arguments, in: folder)
            try #require(made.wait() == 0, "\(made.errors)")
        }

        /// Changes a byte in every copy that LMDB holds of an exported event's record.
        private func change(_ type: String, in exported: Data) throws {
            let record = try #require(try ExportedLine.all(in: exported).first { $0.type == type }?.record)
            let path = URL(filePath: folder.data + "/log/data.mdb")
            var (bytes, count) = (try Data(contentsOf: path), 0)
            while let place = bytes.range(of: record.suffix(24)) {
                bytes[place.lowerBound] ^= 1
                count += 1
            }
            try #require(count > 0)
            try bytes.write(to: path)
        }

        /// Destroys the page with the newest event's record, and every page with an older copy of it.
        private func destroyLastPage(_ exported: Data) throws {
            let record = try #require(try ExportedLine.all(in: exported).last { $0.record != nil }?.record)
            let path = URL(filePath: folder.data + "/log/data.mdb")
            var (bytes, count) = (try Data(contentsOf: path), 0)
            while let place = bytes.range(of: record.suffix(24)) {
                let page = place.lowerBound / 4_096 * 4_096
                bytes.replaceSubrange(page..<page + 4_096, with: Data(count: 4_096))
                count += 1
            }
            try #require(count > 0)
            try bytes.write(to: path)
        }

        @Test("A changed record is never shown as an event: listings end before it, and say so")
        func aChangedRecordEndsEachListing() throws {
            try imported()
            #expect(try audit("export", "--data", folder.data, "-o", folder.file("events")).status == 0)
            let whole = try Program.run("greentea-replay", "--data", folder.data, in: folder)
            let shop = try #require(whole.output.split(separator: " ").first { $0.hasPrefix("shop=") }?.dropFirst(5))
            try change("CampaignPublished", in: try Data(contentsOf: URL(filePath: folder.file("events"))))
            let before = whole.lines.prefix { !$0.contains(" CampaignPublished ") }
            let listed = try Program.run("greentea-replay", "--data", folder.data, in: folder)
            #expect(listed.status == 2 && listed.lines == Array(before), "\(listed.output.suffix(300))")
            #expect(listed.errors.contains("damaged at position \(before.count + 1)"), "\(listed.errors)")
            let history = try audit("history", String(shop), "--data", folder.data)
            #expect(history.status == 2 && !history.output.contains("CampaignPublished"), "\(history.output)")
            #expect(history.errors.contains("damaged at position \(before.count + 1)"), "\(history.errors)")
            let who = try audit("who", "code_01hv5x0000e008000000000000", "--data", folder.data)
            let verified = try audit("verify", "--data", folder.data)
            #expect(verified.status == 1 && verified.output.contains("under The log is damaged."), "\(verified.output)")
            #expect(!verified.output.contains("delete the folder derived"), "advice that competes: \(verified.output)")
            #expect(who.status == 2 && who.errors.contains("damaged at position"), "\(who.errors)")
        }

        @Test("From a changed record no model is built, and none is called equal: rebuild and comparison end with its position")
        func aChangedRecordIsNotRebuilt() throws {
            try imported()
            let built = try Program.run("greentea-rebuild", "--data", folder.data, in: folder)
            #expect(built.status == 0, "\(built.errors)")
            #expect(try audit("export", "--data", folder.data, "-o", folder.file("events")).status == 0)
            let models = folder.data + "/derived/models"
            let before = try FileManager.default.subpathsOfDirectory(atPath: models).sorted()
            try change("CampaignPublished", in: try Data(contentsOf: URL(filePath: folder.file("events"))))
            for (name, option) in [("greentea-rebuild", "--json"), ("greentea-rebuild", "--rollback"), ("greentea-replay", "--compare")] {
                let ended = try Program.run(name, "--data", folder.data, option, in: folder)
                #expect(ended.status == 2 && ended.output.isEmpty, "\(option): \(ended.output)")
                let isNamed = ended.errors.contains("damaged at position ") && ended.errors.contains("The log is damaged")
                #expect(isNamed, "\(option): \(ended.errors)")
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: models).sorted() == before)
        }

        @Test("Of a log with a destroyed page, the events before it are listed, and `verify` does not call it another log")
        func aDestroyedPageEndsTheListing() throws {
            try imported(visits: 400)
            #expect(try audit("export", "--data", folder.data, "-o", folder.file("events")).status == 0)
            let whole = try Program.run("greentea-replay", "--data", folder.data, in: folder).lines
            try destroyLastPage(try Data(contentsOf: URL(filePath: folder.file("events"))))
            let listed = try Program.run("greentea-replay", "--data", folder.data, in: folder)
            #expect(listed.status == 2 && listed.lines.count > 100 && listed.lines.count < whole.count, "\(listed.errors)")
            #expect(listed.lines == Array(whole.prefix(listed.lines.count)))
            #expect(listed.errors.contains("1 to \(listed.lines.count) could be read"), "\(listed.errors)")
            let verified = try audit("verify", "--data", folder.data)
            #expect(verified.status == 1 && verified.output.contains("what to do (page): "), "\(verified.output)")
            #expect(!verified.output.contains("This is another log"), "\(verified.output)")
        }

        private func names() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") })
        }

        @Test("No tool copies a log with a changed record, and an earlier export stays")
        func changedRecord() throws {
            try imported()
            let good = try audit("export", "--data", folder.data, "-o", folder.file("events"))
            #expect(good.status == 0 && good.output.hasPrefix("exported  events "), "\(good.errors)")
            let exported = try Data(contentsOf: URL(filePath: folder.file("events")))
            try change("CampaignPublished", in: exported)
            let before = try names()
            for arguments in [
                ["export", "-o", folder.file("events")], ["backup", "--to", folder.file("copy")], ["drill", "--scratch", folder.path],
            ] {
                let program = try Program("greentea-audit", arguments + ["--data", folder.data], in: folder)
                #expect(try program.wait() == 1, "\(arguments): \(program.errors)")
                #expect(program.errors.contains("at position "), "\(arguments): \(program.errors)")
            }
            #expect(try names() == before)
            #expect(try Data(contentsOf: URL(filePath: folder.file("events"))) == exported, "the earlier export stays")
        }

        @Test(
            "A command whose result cannot be written to a full device fails and names the cause",
            arguments: [["verify"], ["backup", "--to", "copy"], ["drill", "--scratch", "."], ["history", "shop:SHOP"]])
        func fullDevice(arguments: [String]) throws {
            try imported()
            let events = try Program.run("greentea-replay", "--data", folder.data, in: folder).output
            let shop = try #require(events.split(separator: " ").first { $0.hasPrefix("shop=") }?.dropFirst(5))
            let process = Process()
            process.executableURL = URL(filePath: try Products.path(of: "greentea-audit"))
            process.currentDirectoryURL = URL(filePath: folder.path)
            process.arguments = arguments.map { $0.replacingOccurrences(of: "SHOP", with: shop) } + ["--data", folder.data]
            let errors = Pipe()
            (process.standardOutput, process.standardError) = (FileHandle(forWritingAtPath: "/dev/full"), errors)
            try process.runInTime()
            let said = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 2 && said.contains("standard output") && said.contains("no room left"), "\(said)")
        }

        @Test("An interrupted drill leaves no files")
        func interruptedDrill() throws {
            try imported(visits: 3_000)
            let scratch = folder.file("scratch")
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            let program = try Program("greentea-audit", ["drill", "--data", folder.data, "--scratch", scratch], in: folder)
            let files = FileManager.default
            // Not merely created: a drill ended between the creation of its folder and its first file leaves the folder to the next drill.
            try eventually("the drill has begun") {
                let copies = try? files.contentsOfDirectory(atPath: scratch + "/greentea-drill")
                return !program.isRunning || copies?.isEmpty == false
            }
            program.kill(SIGTERM)
            let status = try program.wait()
            #expect(status == 128 + SIGTERM || status == 0, "\(status)")
            #expect(try files.contentsOfDirectory(atPath: scratch) == [])
        }

        @Test("A history of an object without events is an error that names the object")
        func missingObject() throws {
            try imported()
            let finished = try audit("history", "shop_01hv5x0000e008000000000000", "--data", folder.data)
            #expect(finished.status == 1 && finished.errors.contains("there is nothing of shop_"), "\(finished.errors)")
        }

        @Test("A restore reports its success, or that the disk has too little room")
        func restoreResult() throws {
            try imported()
            let copy = folder.file("copy")
            #expect(try audit("backup", "--data", folder.data, "--to", copy).status == 0)
            let restored = try audit("restore", "--from", copy, "--data", folder.file("other"))
            #expect(restored.lines.last?.hasPrefix("restored  events ") == true, "\(restored.output)\(restored.errors)")
            guard SmallDisk.isPossible else { return print("restore: not on a full disk, this process may not mount a tmpfs") }
            let disk = try SmallDisk(at: folder.file("disk"), bytes: 256 << 10)
            let refused = try audit("restore", "--from", copy, "--data", disk.path + "/data")
            #expect(refused.status == 2 && refused.errors.contains("bytes left"), "\(refused.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
        }

        @Test("A log's name goes with its exported events")
        func logName() throws {
            #expect(try Server(data: folder.data, in: folder, options: ["--origin", "tea.example/log"]).stop() == 0)
            #expect(try audit("export", "--data", folder.data, "-o", folder.file("events")).status == 0)
            #expect(try String(contentsOfFile: folder.file("events"), encoding: .utf8).contains(#""origin":"tea.example/log""#))
            let other = folder.file("other")
            #expect(try audit("import", "--data", other, "--from", folder.file("events")).status == 0)
            #expect(try Server(data: other, in: folder).stop() == 0)
            #expect(try audit("checkpoint", "--data", other).output.hasPrefix("tea.example/log\n"))
        }
    }
}
