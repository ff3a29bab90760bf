import Faults
import Foundation

/// A child whose system calls fail one at a time, by the hand of `strace`: at the kernel's door, where nothing is missed.
struct Strace {
    /// What becomes of a call.
    enum Fault: String, CaseIterable, Sendable {
        case ioError = "error=EIO"
        case diskFull = "error=ENOSPC"
        /// The process ends at the call, which may have been made.
        case kill = "signal=KILL"
    }

    /// What a child under faults left behind.
    struct Result {
        /// The exit code, or minus the signal.
        let status: Int32
        let errors: String
        /// Whether the call that was to fail was made at all.
        let wasInjected: Bool
        /// What `fault-writer verify` says of the folder, and how it ended.
        let verdict: String
        let verdictStatus: Int32
    }

    static let path = Tools.find("strace")

    /// Why it cannot be used here; nil when it can.
    static let hindrance: String? = {
        guard let path else { return "no strace on PATH: install it" }
        guard let folder = try? TemporaryFolder(), let program = try? Program(path, ["-qq", "true"], in: folder) else {
            return "\(path) cannot be started"
        }
        return (try? program.wait(seconds: 300)) == 0 ? nil : "this process may not trace another: \(program.errors)"
    }()

    /// Commits of a child: few, as each call of it is made to fail in a run of its own.
    private static let commits = 6
    /// The child's files, the acknowledgements excepted: those are the test's own. Paths narrow the faults, or the first mmap to
    /// fail would be one of the program loader's.
    private static let names = [
        "", "/log", "/log/data.mdb", "/log/lock.mdb", "/log/writer.lock", "/index", "/index/data.mdb", "/index/lock.mdb",
        "/index/writer.lock", "/index/state",
    ]

    let seed: UInt64

    /// Runs a child whose `number`-th call of a kind, counted in each thread, fails, and then looks at its folder without faults.
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
