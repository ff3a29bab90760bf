import CommandService
import Composition
import Dispatch
import EventLog
import Foundation
import GRDB
import LMDB
import Patience
import Projections
import ReadModels
import Testing

@testable import Search

/// Stops read models from advancing, like a disk that hangs, by holding the write lock of their files.
///
/// The models can still be read. ``end()`` MUST be called before the service closes.
final class Stall: Sendable {
    /// All models from which answers are read.
    static let everything = ReadModels.names + [Discovery.name]

    private let goesOn = DispatchSemaphore(value: 0)
    private let threads = DispatchGroup()
    private let count: Int

    /// - Parameter models: the models to stall, after they have caught up with the log.
    init(_ models: [String] = everything, of service: GreenTea) async throws {
        count = models.count
        #expect(await service.models.reached(service.log.head, timeoutSeconds: 600))
        for model in models {
            await withCheckedContinuation { isHeld in
                threads.enter()
                Thread.detachNewThread { [self] in
                    hold(model, of: service) {
                        isHeld.resume()
                        try? goesOn.waitInTime("the test ends the stall")
                    }
                    threads.leave()
                }
            }
        }
    }

    /// Lets the models advance again.
    func end() {
        for _ in 0..<count { goesOn.signal() }
    }

    @available(*, noasync)
    private func hold(_ model: String, of service: GreenTea, _ wait: @Sendable () -> Void) {
        do {
            guard let store = service.models.store(of: model) else {
                return try service.discovery.file.pool.write { _ in wait() }
            }
            let environment = store.environment
            let transaction = try environment.write()
            wait()
            _ = consume transaction
        } catch { fatalError("\(model): \(error)") }
    }
}
