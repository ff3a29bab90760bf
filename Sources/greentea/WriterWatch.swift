import CommandService
import ServiceLifecycle

/// Ends the process when the writer has stopped for good: an outcome is unknown, and only a restart can tell it.
struct WriterWatch: Service {
    let service: GreenTea

    func run() async throws {
        let reason = await cancelWhenGracefulShutdown { await service.awaitFailure() }
        if let reason { throw Refusal.writerStopped(reason) }
    }
}
