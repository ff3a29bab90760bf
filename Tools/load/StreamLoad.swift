import Console
import Foundation
import LoadGenerator
import NIOPosix

/// `greentea-load --streams`: measures live streams instead of the mix of requests.
struct StreamLoad {
    private let plan: StreamPlan
    private let json: Bool

    init(count: Int, seconds: Double, json: Bool) { (plan, self.json) = (StreamPlan(streams: count, seconds: seconds), json) }

    /// Requires that this process may open enough file descriptors for the run.
    ///
    /// - Throws: `LoadCommandError.fewDescriptors`.
    func requireDescriptors() throws(LoadCommandError) {
        guard let limit = Self.descriptors, limit < plan.descriptors else { return }
        throw .fewDescriptors(wanted: plan.descriptors, limit: limit)
    }

    func run(_ address: ServerAddress, on server: OwnServer?) async throws {
        try requireDescriptors()
        let run = StreamRun(plan, against: address, on: MultiThreadedEventLoopGroup.singleton)
        let report: StreamReport
        do {
            report = try await run.run(memory: { server?.residentBytes }) { StandardError.write("greentea-load: \($0)") }
        } catch { throw LoadCommandError(error, at: "\(address.host):\(address.port)") }
        try StandardOutput.say(json ? try report.json : report.text)
    }

    /// The maximum number of file descriptors of this process; nil if the system does not report it.
    private static var descriptors: Int? {
        let limits = try? String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
        let line = limits?.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        return line?.split(separator: " ").compactMap { Int($0) }.first
    }
}
