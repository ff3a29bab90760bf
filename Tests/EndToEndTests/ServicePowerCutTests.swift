import Faults
import Foundation
import Seeds
import Testing

extension EndToEnd {
    /// The power fails while `greentea serve` is under load.
    ///
    /// The server runs under the recorder. The recorder records the server's writes and flushes, and the moment at which the server sent
    /// each answer. For each power cut, the test makes a folder as the disk may hold it at that moment. The log in this folder must verify
    /// against the newest checkpoint that was served before the power cut. A new server on this folder must repeat every answer that was
    /// sent before the power cut. This covers answers, checkpoints, sessions and data keys.
    @Suite struct ServicePowerCutTests {
        @Test("Every answer, checkpoint and data key that was sent out survives a power cut")
        func everythingAnsweredSurvives() throws {
            var random = SeededRandom.announced("everythingAnsweredSurvives")
            let served = try ServedRecording(seed: random.next())
            var cuts = try ServiceCuts(served, seed: random.next())
            var checked = 0
            for cut in try cuts.random(Effort.serviceCuts) {
                let (answers, complaints) = try cuts.complaints(after: cut)
                checked += answers
                #expect(complaints == [], "record \(cut.records) of \(served.journal.records.count), image seed \(cut.seed)")
            }
            print("\(Effort.serviceCuts) power cuts of a server, \(checked) answers asked for again")
            #expect(checked > Effort.serviceCuts)
        }

        /// After a failed flush the content of the disk is unknown, because the kernel drops the dirty pages. If the log's flush fails, the
        /// writer stops for good. If the key store's flush fails, only one request fails.
        @Test(
            "Every answer that was sent survives a failed flush",
            arguments: [("log/data.mdb", 8...40), ("keys/data.mdb", 8...30), ("checkpoint.new", 2...3)], [EIO, ENOSPC])
        func aFailedFlushLosesNothing(_ flushes: (file: String, numbers: ClosedRange<Int>), error: Int32) throws {
            // The ranges leave out a file's first flushes, which happen while the server starts.
            let file = flushes.file
            var random = SeededRandom.announced("aFailedFlushLosesNothing \(file) \(error)")
            for _ in 0..<Effort.failedFlushes {
                let number = random.int(flushes.numbers)
                let served = try ServedRecording(seed: random.next(), failure: "\(file):\(number):\(error)")
                let failed = served.journal.records.contains { if case .flushFailed = $0 { true } else { false } }
                #expect(failed)
                #expect(served.status == (file.hasPrefix("log/") ? Self.stopped : 0), "\(served.errors)")
                var cuts = try ServiceCuts(served, seed: random.next())
                for cut in cuts.atTheEnd(Effort.cutsPerFailure) {
                    #expect(try cuts.complaints(after: cut).complaints == [], "flush \(number), image seed \(cut.seed)")
                }
            }
        }

        /// The exit code of a server whose log could not be flushed.
        private static let stopped: Int32 = 3

        /// If all flushes of one file are ignored, as a seeded bug, the check must find lost data. Otherwise the check would prove nothing.
        @Test("A missing flush is found", arguments: ["log/data.mdb", "keys/data.mdb"])
        func aMissingFlushIsFound(of file: String) throws {
            var random = SeededRandom.announced("aMissingFlushIsFound \(file)")
            let served = try ServedRecording(seed: random.next())
            var cuts = try ServiceCuts(served, seed: random.next(), unflushed: file)
            let found = try cuts.random(Effort.serviceCutsPerBug).contains { try !cuts.complaints(after: $0).complaints.isEmpty }
            #expect(found)
        }
    }
}

/// The number of power cuts and failed flushes in the server's power-cut tests.
enum Effort {
    /// The number of power cuts in total, from `GREENTEA_SERVICE_CUTS`.
    static let serviceCuts = ProcessInfo.processInfo.environment["GREENTEA_SERVICE_CUTS"].flatMap { Int($0) } ?? 50
    /// The number of failed flushes for each file and error, and the number of random disk images made after each failed flush.
    static let failedFlushes = 2, cutsPerFailure = 2
    /// The number of power cuts within which a missing flush must be found.
    static let serviceCutsPerBug = 30
}

/// A recorded server run, with the answers that the load generator received.
struct ServedRecording {
    /// An answer that a power cut must not undo: its position in the journal, and its line in the load generator's record.
    struct Promise {
        let end: Int
        let line: String
    }

    /// The load's duration in seconds. The load makes a few hundred commits in this time, whose pages fit into memory.
    private static let seconds = 3
    /// The boot id that the server sees. The server that is started after a power cut sees another boot id.
    private static let bootID = "00000000-0000-4000-8000-00000000c0de"
    /// Fixes the public address, because answers to code requests contain links, and these must not depend on the port.
    static let options = ["--public-url", "http://127.0.0.1"]

    let folder: TemporaryFolder
    let journal: Journal
    /// The answers to accepted requests, in the order in which they were sent.
    private(set) var promises: [Promise] = []
    /// Checkpoints that were served, each with the number of journal records when it was served.
    private(set) var checkpoints: [(end: Int, text: String)] = []
    /// The key that verifies the checkpoints.
    let verifierKey: String
    /// The server's exit status and its error output.
    let status: Int32
    let errors: String

    /// - Parameter failure: a flush that fails, in the recorder's notation; the failure may stop the server.
    init(seed: UInt64, failure: String? = nil) throws {
        folder = try TemporaryFolder()
        let (library, path) = (folder.file("powercut.so"), folder.file("journal"))
        try Recorder.compile(to: library)
        try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        try Data((Self.bootID + "\n").utf8).write(to: URL(filePath: folder.file("boot")))
        let environment = Recorder.variables(
            library: library, folder: folder.data, journal: path, boot: folder.file("boot"), answers: true,
            failure: failure)
        let server = try Server(data: folder.data, in: folder, options: Self.options, environment: environment)
        let seen = try Self.load(server, seed: seed, mayEnd: failure != nil, in: folder)
        (status, errors) = (server.program.isRunning ? try server.stop() : try server.program.wait(), server.program.errors)
        guard failure != nil || status == 0 else { throw TestFailure("the recorded server: \(errors)") }
        verifierKey = try String(contentsOfFile: folder.data + "/checkpoint.vkey", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        journal = try Journal(path: path)
        let ends = Self.answerEnds(in: journal)
        for line in try String(contentsOfFile: folder.file("answers"), encoding: .utf8).split(separator: "\n") {
            let id = try JSONDecoder().decode(Named.self, from: Data(line.utf8)).id
            guard let end = ends[id] else { throw TestFailure("the answer to \(id) is not in the journal") }
            promises.append(Promise(end: end, line: String(line)))
        }
        promises.sort { $0.end < $1.end }
        checkpoints = seen.compactMap { id, text in ends[id].map { ($0, text) } }.sorted { $0.end < $1.end }
        guard failure != nil || !promises.isEmpty && !checkpoints.isEmpty else { throw TestFailure("the load got no answers") }
    }

    private struct Named: Decodable {
        let id: String
    }

    /// Loads the server and requests checkpoints meanwhile.
    ///
    /// - Returns: each checkpoint by the id of its request.
    private static func load(_ server: Server, seed: UInt64, mayEnd: Bool, in folder: TemporaryFolder) throws -> [String: String] {
        let arguments = [
            "--url", "http://127.0.0.1:\(server.port)", "--seconds", "\(seconds)", "--accounts", "16", "--shops", "2", "--connections", "4",
            "--rate", "150", "--seed", "\(seed)", "--record", folder.file("answers"),
        ]
        let load = try Program("greentea-load", arguments, in: folder)
        let client = server.client
        var seen: [String: String] = [:]
        while load.isRunning {
            guard let answer = try? client.send("GET", "/checkpoint") else { break }
            if answer.status == 200, let id = answer.headers["x-request-id"] { seen[id] = answer.text }
        }
        while load.isRunning, server.program.isRunning { Thread.sleep(forTimeInterval: 0.002) }
        // Stops the load generator if it still runs. It would otherwise wait half a minute for a server that has stopped for good.
        if load.isRunning { load.kill(SIGTERM) }
        guard try load.wait() == 0 || mayEnd else { throw TestFailure("the load: \(load.output)\(load.errors)") }
        return seen
    }

    /// Returns, for each answer's request id, the number of journal records up to and including the answer.
    private static func answerEnds(in journal: Journal) -> [String: Int] {
        var ends: [String: Int] = [:]
        for (index, record) in journal.records.enumerated() {
            guard case .answered(let bytes) = record else { continue }
            for line in String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
            where line.lowercased().hasPrefix("x-request-id:") {
                ends[line.dropFirst("x-request-id:".count).trimmingCharacters(in: .whitespaces)] = index + 1
            }
        }
        return ends
    }
}

/// Power cuts of one recording, in the order of its journal.
struct ServiceCuts {
    private let served: ServedRecording
    /// A file whose flushes are ignored, as a seeded bug.
    private let unflushed: String?
    private let seed: UInt64
    private var disk = DiskModel()
    private var applied = 0

    init(_ served: ServedRecording, seed: UInt64, unflushed: String? = nil) throws {
        (self.served, self.seed, self.unflushed) = (served, seed, unflushed)
    }

    /// Returns random power cuts. Half of them come right after an answer, because the event that the answer confirms is most easily lost
    /// then. The others may come after any record of the journal.
    func random(_ count: Int) throws -> [Cut] {
        var random = SeededRandom(seed: seed)
        let all = served.journal.records.count
        return (0..<count).map { number in
            let records = number.isMultiple(of: 2) ? random.pick(served.promises).end : random.int(0...all)
            return Cut(records: records, seed: random.next())
        }.sorted { $0.records < $1.records }
    }

    /// Returns power cuts after the last record.
    func atTheEnd(_ count: Int) -> [Cut] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in Cut(records: served.journal.records.count, seed: random.next()) }
    }

    /// Creates the folder that a power cut leaves, and checks it against the answers sent before the power cut. The power cut MUST NOT
    /// precede the previous one.
    ///
    /// - Returns: the number of answers requested again, and the violations found.
    mutating func complaints(after cut: Cut) throws -> (answers: Int, complaints: [String]) {
        while applied < cut.records {
            try apply(served.journal.records[applied])
            applied += 1
        }
        var random = SeededRandom(seed: cut.seed)
        let folder = try TemporaryFolder()
        try disk.image(random.pick(Chance.all), &random).write(to: folder.data)
        // The recorder keeps no permissions, and a server refuses a key that others can read.
        let key = folder.data + "/master.key"
        if FileManager.default.fileExists(atPath: key) {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        }
        var complaints: [String] = []
        if let checkpoint = served.checkpoints.last(where: { $0.end <= cut.records }) {
            complaints += try verified(folder, against: checkpoint.text)
        }
        let lines = served.promises.prefix { $0.end <= cut.records }.map(\.line)
        complaints += try heldToAnswers(folder, lines)
        return (lines.count, complaints)
    }

    private mutating func apply(_ record: JournalRecord) throws {
        if case .flushed(let path, _) = record, path == unflushed { return disk.skip() }
        if case .wroteThrough(let path, _) = record, path == unflushed { return disk.skip() }
        try disk.apply(record)
    }

    private func verified(_ folder: TemporaryFolder, against checkpoint: String) throws -> [String] {
        let file = folder.file("checkpoint")
        try Data(checkpoint.utf8).write(to: URL(filePath: file))
        let verify = try Program.run(
            "greentea-audit", "verify", "--data", folder.data, "--checkpoint", file, "--key", served.verifierKey, in: folder)
        return verify.status == 0 ? [] : ["verify: \(verify.status) \(verify.output)\(verify.errors)"]
    }

    private func heldToAnswers(_ folder: TemporaryFolder, _ lines: [String]) throws -> [String] {
        let file = folder.file("answers")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: file))
        let server: Server
        do { server = try Server(data: folder.data, in: folder, options: ServedRecording.options) } catch { return ["\(error)"] }
        defer { server.kill() }
        let check = try Program.run("greentea-load", "--url", "http://127.0.0.1:\(server.port)", "--check", file, in: folder)
        return check.status == 0 ? [] : ["answers: \(check.status) \(check.output)\(check.errors)"]
    }
}
