import Foundation
import Testing

extension EndToEnd {
    /// Waits of a real process, as the kernel sees them. A wait by the wall clock takes hours if that clock is set
    /// back by hours.
    @Suite struct WallClockTests {
        private static let strace = "/usr/bin/strace"

        /// The thread and the call of a line such as `[pid 7<scheduler>] futex(...`, if the call waits for a limited time.
        private static func timedWaits(in trace: String) -> [(thread: String, call: String)] {
            trace.split(separator: "\n").compactMap { line in
                guard let begin = line.firstIndex(of: "<"), let end = line.firstIndex(of: ">"), begin < end else { return nil }
                let call = line[line.index(after: end)...].drop { $0 == " " }
                let isTimed =
                    call.hasPrefix("futex(") ? call.contains("{tv_sec=") : call.contains("ABSTIME") || call.hasPrefix("timerfd_create(")
                return isTimed ? (String(line[line.index(after: begin)..<end]), String(call)) : nil
            }
        }

        @Test(
            "No thread of the service waits by the wall clock",
            .enabled(if: FileManager.default.isExecutableFile(atPath: strace), "no strace"))
        func noWaitFollowsTheWallClock() throws {
            let folder = try TemporaryFolder()
            let trace = folder.file("trace")
            let tracer = [Self.strace, "-D", "-f", "-qq", "-Y", "-o", trace, "-e", "trace=futex,clock_nanosleep,timerfd_create"]
            let server = try Server(data: folder.data, in: folder, through: tracer)
            func waits() throws -> [(thread: String, call: String)] {
                Self.timedWaits(in: try String(contentsOfFile: trace, encoding: .utf8))
            }
            let deadline = ContinuousClock.now + .seconds(900)
            while try waits().count(where: { $0.thread == "scheduler" }) < 2 {
                guard ContinuousClock.now < deadline else { throw TestFailure("the scheduler never waited") }
                Thread.sleep(forTimeInterval: 0.02)
            }
            // Dispatch's own idle threads end after a while by the wall clock, and work wakes them at once.
            let wrong = try waits().filter {
                $0.call.contains("REALTIME") && !$0.thread.hasSuffix("qos") && !$0.thread.hasSuffix("overcommit")
            }
            #expect(Set(wrong.map(\.thread)).sorted() == [], "\(wrong.first?.call ?? "")")
            #expect(try server.stop() == 0)
        }
    }
}
