import Foundation

/// The kernel's figures for this process.
enum ProcessFigures {
    /// Seconds of all threads.
    static var cpuSeconds: Double { Double(clock()) / 1e6 }

    /// Seconds of the calling thread.
    static var cpuSecondsOfThread: Double { cpuSeconds(ofTask: ownTask) }

    /// Seconds of all live threads except the calling one.
    static var cpuSecondsOfOthers: Double {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let own = ownTask
        return tasks.filter { $0 != own }.reduce(0) { $0 + cpuSeconds(ofTask: $1) }
    }

    private static var ownTask: String {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        return link.map { String($0.split(separator: "/").last ?? "") } ?? ""
    }

    /// Returns once the other threads have used at most 5 ms within half a second.
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

    /// A field of `/proc/self/status` such as `VmHWM`.
    static func megabytes(_ field: String) -> Double {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) }.map { $0 / 1_024 } ?? 0
    }

    private static func text(_ name: String) -> String {
        (try? String(contentsOfFile: "/proc/self/" + name, encoding: .utf8)) ?? ""
    }
}

/// Voluntary context switches of this process's threads; 0 except on Linux. Each costs more than the decision of a stamp in a shared flush.
func contextSwitches() -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.reduce(0) { sum, task in
        let status = (try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
    }
}

func seconds(_ work: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try await work()
    return (clock.now - begin) / .seconds(1)
}

func blockingSeconds(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try work()
    return (clock.now - begin) / .seconds(1)
}
