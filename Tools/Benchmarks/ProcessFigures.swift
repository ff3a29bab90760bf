import Foundation

/// What the kernel says of this process.
enum ProcessFigures {
    /// Seconds of processor time, of all threads.
    static var cpuSeconds: Double { Double(clock()) / 1e6 }

    /// Seconds of processor time of the first thread.
    static var cpuSecondsOfMain: Double { cpuSeconds(ofTask: String(ProcessInfo.processInfo.processIdentifier)) }

    /// Seconds of processor time of the live threads but the first.
    static var cpuSecondsBehindMain: Double {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let others = tasks.filter { $0 != String(ProcessInfo.processInfo.processIdentifier) }
        return others.reduce(0) { $0 + cpuSeconds(ofTask: $1) }
    }

    /// Returns when the threads but the first have done nothing for half a second.
    static func awaitIdleThreads() {
        var before = -1.0
        while cpuSecondsBehindMain > before + 0.005 {
            before = cpuSecondsBehindMain
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    private static func cpuSeconds(ofTask task: String) -> Double {
        (text("task/\(task)/schedstat").split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
    }

    /// A field of `/proc/self/status` that is given in kilobytes, such as `VmHWM`.
    static func megabytes(_ field: String) -> Double {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) }.map { $0 / 1_024 } ?? 0
    }

    private static func text(_ name: String) -> String {
        (try? String(contentsOfFile: "/proc/self/" + name, encoding: .utf8)) ?? ""
    }
}
