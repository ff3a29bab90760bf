import EventLog
import Faults
import Foundation

/// Says what is stored, in the file that the recorder hears in the order of all else.
final class Voice {
    private let file: FileHandle
    private var digest = RunningDigest()

    init(in folder: String) throws {
        let path = folder + "/" + Acknowledgement.fileName
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path) else {
            throw FaultError("cannot write \(path)")
        }
        self.file = file
    }

    func add(_ record: Span<UInt8>) { digest.add(record) }

    /// One write, so that nobody reads half a line unnoticed.
    func say(_ head: Position) throws {
        try file.write(contentsOf: Data(Acknowledgement(head: head, digest: digest.value).line.utf8))
    }
}
