import EventLog
import Faults
import Foundation

/// Writes acknowledgements to a file. The recorder records these writes in order with all other writes.
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

    /// Acknowledges all events up to `head`. The line is written with one call, so that no reader sees only a part of it.
    func say(_ head: Position) throws {
        try file.write(contentsOf: Data(Acknowledgement(head: head, digest: digest.value).line.utf8))
    }
}
