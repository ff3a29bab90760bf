import ArgumentParser
import Audit
import EventLog

/// How a command ends, in the one place where that becomes an exit code.
enum Outcome {
    /// Runs a command's work.
    ///
    /// - Parameter body: says whether all is well.
    /// - Throws: exit code 1 when it is not, or the log or what it was signed for is damaged; 2 when it could not be told, with the reason
    ///   on standard error.
    static func report(_ command: String, _ body: () throws -> Bool) throws {
        StandardOutput.keepItsPlace()
        let isWell: Bool
        do { isWell = try body() } catch let error as AuditError {
            Interruption.giveWay()
            StandardError.write("greentea-audit \(command): \(error)")
            throw ExitCode(error.code == .damaged || error.code == .checkpoint ? 1 : 2)
        }
        Interruption.giveWay()
        if !isWell { throw ExitCode(1) }
    }
}
