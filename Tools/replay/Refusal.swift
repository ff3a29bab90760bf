import ArgumentParser
import Audit
import Console

/// What could not be done, as it is told: the error on standard error, and 2.
enum Refusal {
    /// Exit code for it.
    static let code: Int32 = 2

    static func report(_ body: () throws -> Void) throws {
        StandardStreams.prepare()
        StandardOutput.toleratesClosedPipe()
        do { try body() } catch let error as AuditError {
            throw told(error)
        } catch let error as OutputError {
            throw told(error)
        }
        Interruption.waitIfUnderWay()
    }

    private static func told(_ error: some Error) -> ExitCode {
        Interruption.waitIfUnderWay()
        StandardError.write("greentea-replay: \(error)")
        return ExitCode(code)
    }
}
