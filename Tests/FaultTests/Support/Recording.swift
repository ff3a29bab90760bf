import Faults
import Foundation

/// A child that ran to its end under the recorder, and the journal of its writes.
struct Recording {
    /// The boot id that the child sees. The tests see another boot id, as they would after a power cut.
    static let bootID = "00000000-0000-4000-8000-00000000c0de"

    let folder: TemporaryFolder
    let seed: UInt64
    let commits: Int
    let bug: SeededBug

    /// The folder that the child has written.
    var written: String { folder.file("child") }
    var journal: String { folder.file("journal") }

    /// Returns the recorded writes.
    func records() throws -> [JournalRecord] {
        // The optimizer may release the folder object after its last use, and this would delete the journal before it is read.
        try withExtendedLifetime(folder) { try Journal(path: journal).records }
    }

    init(seed: UInt64, commits: Int = 150, bug: SeededBug = .none) throws {
        folder = try TemporaryFolder()
        (self.seed, self.commits, self.bug) = (seed, commits, bug)
        try run()
    }

    /// The arguments that describe the child's log to any command of the child's program.
    var arguments: [String] { ["seed=\(seed)", "commits=\(commits)", "bug=\(bug.rawValue)"] }

    private func run() throws {
        _ = try folder.newFolder("child")
        try Data((Self.bootID + "\n").utf8).write(to: URL(filePath: folder.file("boot")))
        let variables = Recorder.variables(
            library: try Tools.recorder(in: folder), folder: written, journal: journal, boot: folder.file("boot"))
        let child = try Program(Tools.child(), ["write", "folder=\(written)"] + arguments, variables: variables, in: folder)
        let status = try child.wait()
        guard status == 0 else { throw TestFailure("the child ended with \(status): \(child.errors)") }
    }
}
