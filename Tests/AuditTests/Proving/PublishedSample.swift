import Archive
import Audit
import EventLog
import Foundation
import Histories
import LoyaltyCodec
import Merkle

/// A data folder whose log is signed as a server signs it.
struct PublishedSample {
    static let seed = [UInt8](repeating: 5, count: 32)

    let data: TestData

    /// - Parameter count: events of a stamp's size and kind.
    init(_ count: Int = 0) throws {
        self.init(of: TestData())
        try grow(by: count)
    }

    /// A folder that may hold a log already.
    init(of data: TestData) { self.data = data }

    /// Appends events, signs, and closes.
    ///
    /// - Parameter isSigned: false for what a crash between commit and checkpoint leaves.
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

    /// As the tools open it.
    var published: PublishedLog {
        get throws { try PublishedLog(in: try AuditedFolder(data.path)) }
    }

    func replaceCheckpoint(with bytes: [UInt8]?) throws {
        let path = DataFolder(data.path).checkpoint
        try FileManager.default.removeItem(atPath: path)
        if let bytes { try Data(bytes).write(to: URL(filePath: path)) }
    }
}

/// The code that `body` throws; nil when it throws nothing.
func auditCode(_ body: () throws -> Void) -> AuditError.Code? {
    do { try body() } catch { return (error as? AuditError)?.code }
    return nil
}
