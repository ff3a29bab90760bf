import Faults
import Foundation

/// A child whose system calls `strace` makes fail, one at a time. No call can bypass `strace`, because it works at the kernel boundary.
struct Strace {
    /// The fault that `strace` causes at the system call.
    enum Fault: String, CaseIterable, Sendable {
        case ioError = "error=EIO"
        case diskFull = "error=ENOSPC"
        /// The process is killed at the call. The call itself may or may not have been executed.
        case kill = "signal=KILL"
    }

    /// The state that a child with a fault left behind.
    struct Result {
        /// The exit code, or the negated signal.
        let status: Int32
        let errors: String
        /// Whether the child reached the call that was to fail.
        let wasInjected: Bool
        /// The output of `fault-writer verify` on the folder, and its exit status.
        let verdict: String
        let verdictStatus: Int32
    }

    static let path = Tools.find("strace")

    /// The reason why `strace` cannot be used here; nil if it can be used.
    static let hindrance: String? = {
        guard let path else { return "no strace on PATH: install it" }
        guard let folder = try? TemporaryFolder(), let program = try? Program(path, ["-qq", "true"], in: folder) else {
            return "\(path) cannot be started"
        }
        return (try? program.wait(seconds: 300)) == 0 ? nil : "this process may not trace another: \(program.errors)"
    }()

    /// The number of commits of a child. It is small, because each call of the child fails in a separate run.
    private static let commits = 6
    /// The paths below the child's folder on which calls fail. The file of acknowledgements is left out, because it belongs to the test.
    /// Without this restriction, the first `mmap` to fail would be a call of the program loader.
    private static let names =
        [
            "", "/log", "/log/data.mdb", "/log/lock.mdb", "/log/writer.lock", "/index", "/index/writer.lock", "/index/manifest",
            "/index/manifest.new",
        ] + (1...20).map { "/index/run-\($0)" }

    let seed: UInt64

    /// Runs a child whose `number`-th call of a kind fails, counted in each thread, and then verifies the folder without faults.
    func run(_ call: String, _ fault: Fault, number: Int) throws -> Result {
        let folder = try TemporaryFolder()
        let written = try folder.newFolder("child"), trace = folder.file("trace")
        let paths = Self.names.flatMap { ["-P", written + $0] }
        let injection = ["-e", "trace=\(call)", "-e", "inject=\(call):\(fault.rawValue):when=\(number)"]
        let arguments = ["seed=\(seed)", "commits=\(Self.commits)", "folder=\(written)"]
        let child = [try Tools.child(), "write"] + arguments
        let traced = try Program(Self.path ?? "strace", ["-f", "-qq", "-o", trace] + paths + injection + child, in: folder)
        let status = try traced.wait()
        let check = try Program(Tools.child(), ["verify"] + arguments, in: folder)
        let verdictStatus = try check.wait()
        let lines = try String(contentsOfFile: trace, encoding: .utf8)
        return Result(
            status: status, errors: traced.errors, wasInjected: lines.contains("(INJECTED)") || status == -SIGKILL,
            verdict: check.output + check.errors, verdictStatus: verdictStatus)
    }
}
