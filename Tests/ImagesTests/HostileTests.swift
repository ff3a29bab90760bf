import Foundation
import Patience
import Testing

@testable import Images

/// Pictures that are made to attack a decoder. `Tools/lib/hostile_pictures.py` creates them, and lists the correct verdicts for each file.
@Suite(.timeLimit(.minutes(15))) struct HostileTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Creates the corpus.
    ///
    /// - Returns: the name of each file and its correct verdicts.
    private static func corpus(in folder: String) throws -> [(name: String, verdicts: Set<String>)] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", root.appending(path: "Tools/lib/hostile_pictures.py").path, folder]
        let output = Pipe()
        process.standardOutput = output
        try process.runInTime()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), Set(words[1].split(separator: "|").map(String.init)))
        }
    }

    private static func verdict(_ refusal: ImageError?) -> String {
        switch refusal {
        case nil: "made"
        case .unsupported: "unsupported"
        case .tooLarge: "tooLarge"
        case .busy: "busy"
        case .takenDown: "takenDown"
        case .failed(let detail): "failed: \(detail)"
        }
    }

    @Test("A search for a code in a hostile picture finds none, and gives one of the verdicts that storing the picture may give")
    func scans() async throws {
        let shelf = Shelf()
        let folder = shelf.folder + "/corpus"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, verdicts) in try Self.corpus(in: folder) {
            let file = try Data(contentsOf: URL(filePath: folder + "/" + name))
            var refusal: ImageError?
            do throws(ImageError) { #expect(try await shelf.store.code(in: Array(file)) == nil, "\(name)") } catch { refusal = error }
            let verdict = Self.verdict(refusal)
            #expect(verdicts.contains(verdict), "\(name): \(verdict)")
        }
        try await eventually("no job runs in the pool") { shelf.store.activity.running == 0 }
        let activity = shelf.store.activity
        #expect(activity.refused[.crash] == nil && activity.refused[.output] == nil && activity.refused[.clock] == nil)
    }

    @Test("Each hostile picture gets a correct verdict, no child crashes, and no job stays in the pool")
    func verdicts() async throws {
        let shelf = Shelf()
        let folder = shelf.folder + "/corpus"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let corpus = try Self.corpus(in: folder)
        #expect(corpus.count > 50)
        for (name, verdicts) in corpus {
            let file = try Data(contentsOf: URL(filePath: folder + "/" + name))
            let verdict = Self.verdict(await shelf.refusal(of: Array(file)))
            #expect(verdicts.contains(verdict), "\(name): \(verdict)")
        }
        // A job's verdict is returned before the pool counts the job as ended.
        try await eventually("no job runs in the pool") { shelf.store.activity.running == 0 }
        let activity = shelf.store.activity
        print("hostile pictures refused by limit: \(activity.refused)")
        #expect(activity.refused[.crash] == nil && activity.refused[.output] == nil && activity.refused[.clock] == nil)
        #expect(activity.running == 0 && activity.waiting == 0)
    }
}
