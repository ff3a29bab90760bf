import ArgumentParser
import Audit
import EventLog

/// `--data DIR`, which every command takes that looks at a log.
struct FolderOption: ParsableArguments {
    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    func audited() throws(AuditError) -> AuditedFolder { try AuditedFolder(data) }

    /// How many events there are, for a progress bar: 0 where that cannot be told.
    static func events(in data: String) -> Int {
        (try? LogFile(directory: data + "/log")).map { Int(clamping: $0.head.rawValue) } ?? 0
    }
}
