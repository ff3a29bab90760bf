import Foundation

/// The kernel's figures for this process.
enum ProcessFigures {
    /// The processor time of all threads in seconds.
    static var cpuSeconds: Double { Double(clock()) / 1e6 }

    /// The processor time of the calling thread in seconds.
    static var cpuSecondsOfThread: Double { cpuSeconds(ofTask: ownTask) }

    /// The processor time in seconds of all live threads except the calling one.
    static var cpuSecondsOfOthers: Double {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let own = ownTask
        return tasks.filter { $0 != own }.reduce(0) { $0 + cpuSeconds(ofTask: $1) }
    }

    /// The id of the calling thread in `/proc`.
    private static var ownTask: String {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        return link.map { String($0.split(separator: "/").last ?? "") } ?? ""
    }

    /// Returns once the other threads have used at most 5 ms of processor time within half a second.
    static func awaitIdleThreads() {
        var before = -1.0
        while cpuSecondsOfOthers > before + 0.005 {
            before = cpuSecondsOfOthers
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    private static func cpuSeconds(ofTask task: String) -> Double {
        (text("task/\(task)/schedstat").split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
    }

    /// A field of `/proc/self/status` such as `VmHWM`, converted from kilobytes to megabytes.
    static func megabytes(_ field: String) -> Double {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) }.map { $0 / 1_024 } ?? 0
    }

    private static func text(_ name: String) -> String {
        (try? String(contentsOfFile: "/proc/self/" + name, encoding: .utf8)) ?? ""
    }
}

/// The number of voluntary context switches of this process's threads.
///
/// Each switch costs some microseconds, which is more than the decision of one stamp costs if many stamps share a flush. Only Linux reports
/// the number; elsewhere it is 0.
func contextSwitches() -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.reduce(0) { sum, task in
        let status = (try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
    }
}

/// Returns the seconds that `work` takes.
func seconds(_ work: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try await work()
    return (clock.now - begin) / .seconds(1)
}

/// Returns the seconds that `work` takes.
func blockingSeconds(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try work()
    return (clock.now - begin) / .seconds(1)
}
