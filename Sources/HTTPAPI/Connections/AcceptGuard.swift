import CommandService
import Glibc
import HummingbirdCore
import NIOCore
import Synchronization

/// Closes new connections beyond ``ConnectionCaps``, and pauses accepting while no descriptor or memory is free. Belongs to the listening
/// channel's event loop.
///
/// After `EMFILE`, NIO 2.101 leaves the socket readable and calls `accept` in a busy loop; its `AcceptBackoffHandler` only delays later
/// reads. This handler turns `autoRead` off for a quarter of a second, which takes the socket out of the loop.
final class AcceptGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private var counts: ConnectionCounts
    private let report: ConnectionReport
    private let clock: any CommandService.Clock
    private let rest: TimeAmount
    private var isResting = false

    init(
        _ caps: ConnectionCaps, report: ConnectionReport, clock: any CommandService.Clock,
        rest: TimeAmount = .milliseconds(Limits.acceptRestMilliseconds)
    ) {
        (counts, self.report, self.clock, self.rest) = (ConnectionCounts(caps), report, clock, rest)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        let address = connection.remoteAddress.flatMap { ClientAddress($0) }
        if let refusal = counts.admit(address, at: clock.steady()) {
            report.refused(refusal)
            connection.close(promise: nil)
            return
        }
        report.open(counts.total)
        connection.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { [self] _ in
            counts.release(address)
            report.open(counts.total)
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.isShortage(error.errnoCode) else { return context.fireErrorCaught(error) }
        report.acceptFailed(error.errnoCode)
        guard !isResting else { return }
        isResting = true
        setAutoRead(false, context)
        context.eventLoop.assumeIsolated().scheduleTask(in: rest) { [self] in
            isResting = false
            setAutoRead(true, context)
        }
    }

    /// A shortage of descriptors or memory. The connection waits in the system's queue until it ends.
    private static func isShortage(_ code: CInt) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    private func setAutoRead(_ isOn: Bool, _ context: ChannelHandlerContext) {
        // Fails only if the channel is closed.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}

@available(*, unavailable)
extension AcceptGuard: Sendable {}

/// Keeps a listening channel from accepting until its `AcceptGuard` is installed, because earlier connections would not be counted.
struct AcceptGate: AvailableConnectionsDelegate {
    private final class Latch: Sendable {
        let isOpen = Atomic(false)
    }

    private let latch = Latch()

    func connectionOpened() {}
    func connectionClosed() {}
    func isAcceptingNewConnections() -> Bool { latch.isOpen.load(ordering: .acquiring) }

    func open(
        _ channel: any Channel, _ caps: ConnectionCaps, _ report: ConnectionReport, _ clock: any CommandService.Clock
    ) async throws {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(AcceptGuard(caps, report: report, clock: clock), position: .first)
            latch.isOpen.store(true, ordering: .releasing)
            channel.read()
        }.get()
    }
}
