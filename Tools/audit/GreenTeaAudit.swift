import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import Merkle

/// `greentea-audit`: proves the content of a log to people who need not trust its operator.
@main
struct GreenTeaAudit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-audit", abstract: "Verify a log, prove what it holds, take it elsewhere and bring it back.",
        discussion: """
            EXIT CODES
              0   clean, proved, done
              1   damaged, not proved: the findings say where and what to do
              2   it could not be looked at: no data folder, no such position, a file that
                  is not what it should be
              64  wrong use
            """,
        version: ProductVersion.text,
        subcommands: [
            ProveCommand.self, CheckProofCommand.self, CheckpointCommand.self, TilesCommand.self,
            VerifyCommand.self, BackupCommand.self, BackupsCommand.self, RestoreCommand.self, DrillCommand.self,
            ExportCommand.self, ImportCommand.self, SalvageCommand.self,
            HistoryCommand.self, WhoCommand.self, SizeCommand.self, ErasuresCommand.self, DoctorCommand.self, CatalogueCommand.self,
        ])
}

struct FolderOption: ParsableArguments {
    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    /// Opens the data folder as its owner. Files that only root may read MUST be read before this call, because the process gives up root's
    /// rights.
    ///
    /// - Parameter targets: other files and folders that the command writes; nil and `-` are ignored.
    func audited(writing targets: String?...) throws(AuditError) -> AuditedFolder { try AuditedFolder(asOwner: data, writing: targets) }

    static func state(of data: String) -> String {
        guard let log = try? LogFile(directory: data + "/log") else { return "events 0" }
        defer { log.letGo() }
        let root = (try? log.root(at: log.head.rawValue)).map { "  root \($0.hex)" } ?? ""
        return "events \(log.head)\(root)"
    }

    /// 0 if it cannot be determined.
    static func events(in data: String) -> Int {
        (try? LogFile(directory: data + "/log")).map { Int(clamping: $0.head.rawValue) } ?? 0
    }
}

extension AuditedFolder {
    /// Opens a data folder as its owner: even a reader creates files, and the service could not open files that root owns.
    init(asOwner path: String, writing targets: [String?] = []) throws(AuditError) {
        do { try FolderOwner.become(of: path, writing: targets) } catch { throw AuditError(.output, error.detail, remedy: error.remedy) }
        try self.init(path)
    }
}

/// The library reads no clock, so commands pass the time to it.
enum Now {
    static var timestamp: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1e6)) }
}
