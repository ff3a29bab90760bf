import CommandService
import Glibc
import HummingbirdCore
import NIOCore
import Synchronization

/// Decides in the listening channel which connections are kept, and pauses accepting when no file descriptor or memory is free.
///
/// After `accept` has failed with `EMFILE`, NIO 2.101 leaves the listening socket readable. So the event loop calls `accept` again at once,
/// and uses a whole core for as long as a client waits. NIO's own `AcceptBackoffHandler` does not prevent this, because it only delays
/// reads that are requested later. Therefore this handler, which comes before NIO's, turns `autoRead` off for a quarter of a second, which
/// takes the socket out of the event loop.
///
/// The handler also closes new connections beyond the caps of ``ConnectionCaps``: too many of one address, of one IPv6 /48 or of the
/// service, or opened too fast. The handler belongs to the event loop of the listening channel.
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

    /// Whether the error means a shortage of descriptors or memory, which ends once descriptors are closed. Until then the new connection
    /// waits in the system's queue.
    private static func isShortage(_ code: CInt) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    private func setAutoRead(_ isOn: Bool, _ context: ChannelHandlerContext) {
        // Setting the option fails only if the channel is closed, and then the option does not matter.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}

@available(*, unavailable)
extension AcceptGuard: Sendable {}

/// Keeps a listening channel from accepting until its `AcceptGuard` is installed. Hummingbird lets a handler be added only once the channel
/// listens, and a connection accepted before that would not be counted.
struct AcceptGate: AvailableConnectionsDelegate {
    private final class Latch: Sendable {
        let isOpen = Atomic(false)
    }

    private let latch = Latch()

    func connectionOpened() {}
    func connectionClosed() {}
    func isAcceptingNewConnections() -> Bool { latch.isOpen.load(ordering: .acquiring) }

    /// Adds an `AcceptGuard` to the listening channel and lets the channel accept connections.
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
