/// Nothing that ships waits by the wall clock: if that clock is set back by hours, such a wait takes hours.
///
/// On Linux, the time-outs of Dispatch's semaphores and of Foundation's conditions follow the wall clock, and so do `SECONDS` of bash and
/// deadlines made of dates.
struct WallClock: Rule {
    let name = "wall-clock"

    /// The one primitive for limited waits of threads.
    private static let primitive = "Sources/EventLog/Writer/ThreadSemaphore.swift"
    private static let swift = [
        "wait(timeout:", "wait(wallTimeout:", "DispatchWallTime", "wallDeadline", "NSCondition", ".lock(before:", "sleep(until: Date",
        "RunLoop", "Timer.scheduledTimer", "Timer(timeInterval", "pthread_cond_timedwait", "pthread_mutex_timedlock", "sem_timedwait",
        "timerfd_create", "TIMER_ABSTIME", "timeIntervalSinceNow", "Date() <", "Date() >", "< Date()", "> Date()", "Date() -", "- Date()",
        "timeIntervalSince(",
    ]
    private static let python = ["time.time("]
    private static let shell = ["$SECONDS", "(SECONDS", "SECONDS -", "${SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "date +%s"]

    let good = [
        SourceFile(
            path: "Sources/A/A.swift", text: "/// Not wait(timeout: here.\nlet late = semaphore.wait(seconds: 1)\nlet now = Date()\n"),
        SourceFile(path: "Sources/B/B.swift", text: "let found = block(before: now)\n"),
        SourceFile(path: Self.primitive, text: "pthread_cond_timedwait(condition, mutex, &deadline)\n"),
        SourceFile(path: "Tools/a", text: "#!/usr/bin/env python3\nend = time.monotonic() + 60\n"),
        SourceFile(path: "Tools/b", text: "#!/usr/bin/env bash\nset -euo pipefail\n# judge NAME STATUS SECONDS\nbegan=$(uptime_seconds)\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/A/A.swift", text: "_ = wake.wait(timeout: .now() + 1)\n"),
        SourceFile(path: "Sources/A/A.swift", text: "let condition = NSCondition()\n"),
        SourceFile(path: "Tools/A/A.swift", text: "let end = Date(timeIntervalSinceNow: 60)\n"),
        SourceFile(path: "Tools/A/A.swift", text: "while Date() < end {}\n"),
        SourceFile(path: "Sources/A/A.swift", text: "queue.asyncAfter(wallDeadline: .now() + 1) {}\n"),
        SourceFile(path: "Sources/A/A.swift", text: "pthread_cond_timedwait(condition, mutex, &deadline)\n"),
        SourceFile(path: "Tools/a.py", text: "end = time.time() + 60\n"),
        SourceFile(path: "Tools/a", text: "#!/usr/bin/env bash\nset -euo pipefail\nlate=$((SECONDS - began > 60))\n"),
        SourceFile(path: "Tools/b", text: "#!/usr/bin/env bash\nset -euo pipefail\nbegan=$(date +%s)\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isShipped || file.path.hasPrefix(".ci/"), file.path != Self.primitive else { return [] }
        if file.isSwift {
            return findings(of: Self.swift, in: file) {
                "wait with ThreadSemaphore, or measure with ContinuousClock; `\($0)` follows the wall clock"
            }
        }
        if file.isPython { return findings(of: Self.python, in: file) { "measure with time.monotonic(); `\($0)` follows the wall clock" } }
        guard file.isShell else { return [] }
        return findings(of: Self.shell, in: file) { "measure with uptime_seconds of house.sh; `\($0)` follows the wall clock" }
    }
}
