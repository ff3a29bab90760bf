import Faults
import Foundation
import Seeds
import Testing

/// Each system call of a child on the files of its log fails in turn. Unless the fault kills the child, the child must complete or stop
/// with a named error. Acknowledged events must be present in any case.
@Suite(.enabled(if: Strace.hindrance == nil, "\(Strace.hindrance ?? "")")) struct SystemCallTests {
    /// The calls with which the log creates, extends, maps, writes and flushes its files.
    static let calls = ["openat", "mkdir", "ftruncate", "fallocate", "mmap", "pwrite64", "writev", "fdatasync", "fsync"]

    /// The exit codes of a child. `done` is the code of a child that completed, because some faults are harmless, and `refused` of a child
    /// that stopped with a named error.
    private static let done: Int32 = 0, refused: Int32 = 3

    @Test(
        "A failed system call loses no acknowledged event, and the child completes, stops with a named error, or is killed",
        arguments: calls, Strace.Fault.allCases)
    func nothingAcknowledgedIsLost(_ call: String, _ fault: Strace.Fault) throws {
        let strace = Strace(seed: SeededRandom.announced("nothingAcknowledgedIsLost \(call) \(fault)").seed)
        var injected = 0, ends: [String: Int] = [:]
        while injected < Effort.faults {
            let result = try strace.run(call, fault, number: injected + 1)
            let what = "\(call) \(injected + 1) \(fault.rawValue), seed \(strace.seed)"
            let comment: Comment = "\(what): \(result.errors)\(result.verdict)"
            #expect(result.verdictStatus == 0, comment)
            if !result.wasInjected {
                #expect(result.status == Self.done, comment)
                break
            }
            injected += 1
            expectNamedEnd(result, call, fault, comment)
            ends["\(Self.name(of: result.status)), \(result.verdict.prefix { $0 != " " })", default: 0] += 1
        }
        print("\(call) \(fault): \(ends.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: "; "))")
        #expect(injected > 0, "the child never calls \(call)")
    }

    private static func name(of status: Int32) -> String { status == done ? "done" : status == refused ? "refused" : "killed" }

    private func expectNamedEnd(_ result: Strace.Result, _ call: String, _ fault: Strace.Fault, _ comment: Comment) {
        switch fault {
        case .kill: #expect(result.status == -SIGKILL, comment)
        case .ioError, .diskFull:
            #expect([Self.done, Self.refused].contains(result.status), comment)
            if result.status == Self.refused { #expect(result.errors.hasPrefix("fault-writer: "), comment) }
            // A failed flush of a commit always stops the child, because the state of the disk is unknown. A failed flush of an index run,
            // which uses fsync, only makes the run be written again.
            if call == "fdatasync" { #expect(result.status == Self.refused, comment) }
        }
    }

    /// The control experiment: without a fault, the child completes, and its folder holds everything that it wrote.
    @Test("A child without a fault completes, and its folder is whole")
    func withoutAFaultEverythingIsThere() throws {
        let result = try Strace(seed: 1).run("pwrite64", .ioError, number: 60_000)
        #expect(!result.wasInjected && result.status == 0)
        #expect(result.verdict.hasPrefix("whole "))
    }
}
