import ArgumentParser
import Audit

/// What could not be done, as it is told: the error on standard error, and 2.
enum Refusal {
    static func report(_ body: () throws -> Void) throws {
        StandardOutput.toleratesClosedPipe()
        do { try body() } catch let error as AuditError {
            StandardError.write("greentea-replay: \(error)")
            throw ExitCode(2)
        }
    }
}
