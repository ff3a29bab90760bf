import Faults
import Foundation

/// Many power cuts of one recording. They are made in two child processes, because a damaged image may kill the process that reads it.
struct CutRun {
    /// The maximum number of times that a process is restarted after disk images that killed it.
    private static let deathsMax = 3
    private static let parts = 2

    /// `whole` is the number of power cuts without a finding. `complaints` describes the findings and the deaths of processes.
    private(set) var whole = 0
    private(set) var complaints: [String] = []

    private let recording: Recording
    private let arguments: [String]

    /// - Throws: if the power cuts cannot be made.
    init(_ recording: Recording, count: Int, seed: UInt64, names: NameModel = .journalled, creation: Bool = false) throws {
        self.recording = recording
        arguments =
            ["cuts", "journal=\(recording.journal)", "cut-seed=\(seed)", "count=\(count)", "names=\(names.rawValue)"]
            + recording.arguments + (creation ? ["creation=1"] : [])
        let first = try (0..<Self.parts).map { try start($0, from: 0) }
        for part in 0..<Self.parts { try finish(first[part], part) }
        if !complaints.isEmpty, recording.bug == .none { keep(names) }
    }

    private func start(_ part: Int, from: Int) throws -> Program {
        let folder = try recording.folder.newFolder("image-\(part)")
        let place = ["folder=\(folder)", "part=\(part)", "of=\(Self.parts)", "from=\(from)"]
        return try Program(Tools.child(), arguments + place, in: recording.folder)
    }

    private mutating func finish(_ program: Program, _ part: Int) throws {
        var program = program
        for _ in 0...Self.deathsMax {
            let status = try program.wait()
            let lines = program.output.split(separator: "\n").map(String.init)
            for line in lines { take(line) }
            if status == 0, lines.last == "done" { return }
            guard let last = lines.last?.split(separator: " "), last.count == 1, let number = Int(last[0]) else {
                throw TestFailure("the process that makes the power cuts ended with \(status): \(program.errors)")
            }
            complaints.append("cut \(number) killed its reader: \(status) \(program.errors.prefix(500))")
            if recording.bug != .none { return }
            program = try start(part, from: number + 1)
        }
    }

    private mutating func take(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3 else { return }
        switch words[1] {
        case "whole": whole += 1
        default: complaints.append(String(line))
        }
    }

    /// Keeps the recording, and adds to the findings a command that repeats a power cut. The child's threads make every journal different,
    /// so the seed alone cannot repeat a power cut.
    private mutating func keep(_ names: NameModel) {
        recording.folder.keep()
        let again = ["cut", "folder=\(recording.folder.file("again"))", "journal=\(recording.journal)", "names=\(names.rawValue)"]
        complaints.append("again: fault-writer \((again + recording.arguments).joined(separator: " ")) at=… image-seed=…")
    }
}
