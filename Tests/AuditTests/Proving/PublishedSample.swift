import Archive
import Audit
import EventLog
import Foundation
import Histories
import LoyaltyCodec
import Merkle

/// A data folder whose log is signed the way a server signs it.
struct PublishedSample {
    static let seed = [UInt8](repeating: 5, count: 32)

    let data: TestData

    /// - Parameter count: the number of events, all of them stamps.
    init(_ count: Int = 0) throws {
        self.init(of: TestData())
        try grow(by: count)
    }

    /// Wraps a folder that may already hold a log.
    init(of data: TestData) { self.data = data }

    /// Appends events, signs the log, and closes it.
    ///
    /// - Parameter isSigned: if false, the log is not signed, like a log after a crash between a commit and the signing of its checkpoint.
    func grow(by count: Int, isSigned: Bool = true) throws {
        let log = try data.log()
        let appender = try log.appender()
        for number in 0..<count {
            let tags = [Tag(.account, UInt128(number % 97)), Tag(.card, UInt128(log.head.rawValue) << 32 | UInt128(number))]
            try appender.stage(NewEvent(type: .cardStamped, time: Timestamp(microseconds: Int64(number)), tags: tags))
            if number % 4_096 == 4_095 { try appender.commit() }
        }
        try appender.commit()
        if isSigned { try sign(log) }
        try log.close()
    }

    private func sign(_ log: EventLog) throws {
        try CheckpointKeeper(log: log, path: DataFolder(data.path).checkpoint, seed: Self.seed).close()
    }

    /// Opens the signed log with the tools' code.
    var published: PublishedLog { get throws { try PublishedLog(in: try AuditedFolder(data.path)) } }

    func replaceCheckpoint(with bytes: [UInt8]?) throws {
        let path = DataFolder(data.path).checkpoint
        try FileManager.default.removeItem(atPath: path)
        if let bytes { try Data(bytes).write(to: URL(filePath: path)) }
    }
}

/// Returns the code of the error that `body` throws, or nil if it throws none.
func auditCode(_ body: () throws -> Void) -> AuditError.Code? {
    do { try body() } catch { return (error as? AuditError)?.code }
    return nil
}
