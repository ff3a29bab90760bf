import ArgumentParser
import Audit
import EventLog
import Foundation

/// How a command ends, in the one place where that becomes an exit code.
enum Outcome {
    /// Runs a command's work.
    ///
    /// - Parameter body: says whether all is well.
    /// - Throws: exit code 1 when it is not, 2 when it could not be told, with the reason on standard error.
    static func report(_ command: String, _ body: () throws -> Bool) throws {
        let isWell: Bool
        do { isWell = try body() } catch let error as AuditError {
            try? FileHandle.standardError.write(contentsOf: Data("greentea-audit \(command): \(error)\n".utf8))
            throw ExitCode(2)
        }
        if !isWell { throw ExitCode(1) }
    }
}
