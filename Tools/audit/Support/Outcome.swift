import ArgumentParser
import Audit
import Console
import EventLog

/// How a command ends, in the one place where that becomes an exit code.
enum Outcome {
    /// Runs a command's work.
    ///
    /// - Parameter body: says whether all is well.
    /// - Throws: exit code 1 when it is not, or the log or what it was signed for is damaged; 2 when it could not be told, with the reason
    ///   on standard error.
    static func report(_ command: String, _ body: () throws -> Bool) throws {
        StandardStreams.prepare()
        let isWell: Bool
        do { isWell = try body() } catch let error as AuditError {
            Interruption.waitIfUnderWay()
            StandardError.write("greentea-audit \(command): \(error)")
            throw ExitCode(error.code == .damaged || error.code == .checkpoint ? 1 : 2)
        } catch let error as OutputError {
            Interruption.waitIfUnderWay()
            StandardError.write("greentea-audit \(command): \(error)")
            throw ExitCode(2)
        }
        Interruption.waitIfUnderWay()
        if !isWell { throw ExitCode(1) }
    }
}
