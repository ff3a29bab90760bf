/// Why a snapshot, or a part of it, cannot be used. Never an error of the question: the log has it all.
struct SnapshotFault: Error, Hashable {
    /// A few words that follow "it": "is of another log".
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// A file that is not what the manifest says.
    static func changed(_ file: String) -> SnapshotFault { SnapshotFault("is damaged: \(file) is not what was written") }

    /// A file that cannot be read.
    static func unreadable(_ file: String) -> SnapshotFault { SnapshotFault("is damaged: \(file) cannot be read") }
}
