internal import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec
internal import Merkle

/// The checkup's lines about faults by which a start on the folder is refused: a damaged log, a log that is older than its checkpoint, keys
/// of another log.
enum LogLook {
    typealias Line = Checkup.Line

    /// The line about keys of another log; nil if they are this log's, or do not tell.
    static func keys(_ data: DataFolder) throws(AuditError) -> Line? {
        guard try KeyMatch(logOf: data).relation(of: data.keys) == .foreign else { return nil }
        return Line(
            subject: "keys", verdict: .bad, finding: "foreignKeys: they belong to another log, and the service does not start with them",
            remedy: "Put the keys of this log in their place, as the folder's owner: mv \(data.keys) \(data.keys).other && "
                + "cp -a COPY/. \(data.keys)")
    }
}
