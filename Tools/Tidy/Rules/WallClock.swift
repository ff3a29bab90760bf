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

    let good: KeyValuePairs = [
        "Sources/A/A.swift": "/// Not wait(timeout: here.\nlet late = semaphore.wait(seconds: 1)\nlet now = Date()\n",
        "Sources/B/B.swift": "let found = block(before: now)\n",
        Self.primitive: "pthread_cond_timedwait(condition, mutex, &deadline)\n",
        "Tools/a": "#!/usr/bin/env python3\nend = time.monotonic() + 60\n",
        "Tools/b": "#!/usr/bin/env bash\nset -euo pipefail\n# judge NAME STATUS SECONDS\nbegan=$(uptime_seconds)\n",
    ]
    let bad: KeyValuePairs = [
        "Sources/A/A.swift": "_ = wake.wait(timeout: .now() + 1)\n",
        "Sources/A/A.swift": "let condition = NSCondition()\n",
        "Tools/A/A.swift": "let end = Date(timeIntervalSinceNow: 60)\n",
        "Tools/A/A.swift": "while Date() < end {}\n",
        "Sources/A/A.swift": "queue.asyncAfter(wallDeadline: .now() + 1) {}\n",
        "Sources/A/A.swift": "pthread_cond_timedwait(condition, mutex, &deadline)\n",
        "Tools/a.py": "end = time.time() + 60\n",
        "Tools/a": "#!/usr/bin/env bash\nset -euo pipefail\nlate=$((SECONDS - began > 60))\n",
        "Tools/b": "#!/usr/bin/env bash\nset -euo pipefail\nbegan=$(date +%s)\n",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isShipped || file.path.hasPrefix(".ci/"), file.path != Self.primitive else { return [] }
        let (words, remedy) =
            file.isSwift
            ? (Self.swift, "wait with ThreadSemaphore, or measure with ContinuousClock")
            : file.isPython
                ? (Self.python, "measure with time.monotonic()")
                : file.isShell ? (Self.shell, "measure with uptime_seconds of house.sh") : ([], "")
        return findings(of: words, in: file) { "\(remedy); `\($0)` follows the wall clock" }
    }
}
