import Foundation

/// The kernel's figures for this process.
enum ProcessFigures {
    /// Seconds of all threads.
    static var cpuSeconds: Double { Double(clock()) / 1e6 }

    /// A field of `/proc/self/status` such as `VmHWM`.
    static func megabytes(_ field: String) -> Double {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) }.map { $0 / 1_024 } ?? 0
    }

    private static func text(_ name: String) -> String {
        (try? String(contentsOfFile: "/proc/self/" + name, encoding: .utf8)) ?? ""
    }
}

func seconds(_ work: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try await work()
    return (clock.now - begin) / .seconds(1)
}

/// Items per second of a pass over `count` items.
func passRate(of count: Int, _ pass: () throws -> Void) rethrows -> Double { Double(count) / (try blockingSeconds(pass)) }

extension [Double] {
    /// A percentile of ascending figures; 0.5 gives the median.
    func percentile(_ part: Double) -> Double { isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * part))] }
}

func blockingSeconds(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try work()
    return (clock.now - begin) / .seconds(1)
}
