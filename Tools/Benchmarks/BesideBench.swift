import CommandService
import Composition
import EventLog
import Foundation
import LoyaltyCodec
import ReadModels
import Synchronization

/// Measures stamps over HTTP alone, and while `greentea-rebuild` rebuilds every model in the same folder.
///
/// The rebuild runs as usual, in its own process with a lower priority than the server.
struct BesideBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        let home = folder + "/beside"
        try GeneratedTown(events: sizes.rebuiltEvents, in: DataFolder(home + "/data")).write()
        let server = try await StampServer.open(in: home, sizes: sizes)
        let service = server.shop.service
        guard await service.models.reached(service.log.head, timeoutSeconds: 600) else { throw BenchError.unexpected }
        var (alone, beside, rebuilds): ([HTTPLoad], [HTTPLoad], [Double]) = ([], [], [])
        for _ in 0..<sizes.rounds {
            alone.append(try await server.stamps(try await server.input()))
            let input = try await server.input()
            let rebuilding = try Rebuilding(of: home + "/data")
            let load: HTTPLoad
            do { load = try await server.stamps(input) } catch {
                _ = try? rebuilding.end()
                throw error
            }
            rebuilds.append(Double(try rebuilding.end()))
            beside.append(load)
        }
        try close(service)
        report.add("durable stamps over HTTP, undisturbed", "requests/s", alone.map(\.rate))
        report.add("the same beside greentea-rebuild", "requests/s", beside.map(\.rate))
        report.add("  p99 undisturbed", "µs", alone.map(\.p99))
        report.add("  p99 beside greentea-rebuild", "µs", beside.map(\.p99))
        report.add("  rebuilds of all models that ended meanwhile", "", rebuilds)
        report.addRatio(
            "beside a rebuild : undisturbed", of: "the same beside greentea-rebuild", to: "durable stamps over HTTP, undisturbed",
            target: 0.8)
    }
}

/// Runs `greentea-rebuild` again and again on a folder that a server has open.
final class Rebuilding: Sendable {
    private struct State {
        var process: Process
        var ended = 0
        var isOver = false
        var hasFailed = false
    }

    private let data: String
    private let state: Mutex<State>

    init(of data: String) throws {
        self.data = data
        state = Mutex(State(process: Process()))
        try state.withLock { $0.process = try start() }
    }

    /// Ends the current rebuild, and returns the number of completed ones.
    ///
    /// - Throws: ``BenchError/missingTool(_:)`` if a rebuild failed or could not be started.
    func end() throws -> Int {
        let (running, ended, hasFailed) = state.withLock { state in
            state.isOver = true
            return (state.process, state.ended, state.hasFailed)
        }
        running.terminate()
        running.waitUntilExit()
        if hasFailed { throw BenchError.missingTool("greentea-rebuild") }
        return ended
    }

    private func start() throws -> Process {
        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("greentea-rebuild")
        process.arguments = ["--data", data, "--no-check", "--discard-old"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [self] in again(after: $0) }
        try process.run()
        return process
    }

    private func again(after process: Process) {
        state.withLock { state in
            if state.isOver { return }
            guard process.terminationStatus == 0, let next = try? start() else { return state.hasFailed = true }
            state.ended += 1
            state.process = next
        }
    }
}
