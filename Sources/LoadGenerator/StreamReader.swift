import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The stamps in progress, and the times from each stamp to its event on the account's streams. An account has one stamp at a time. The
/// last answer's position keeps a late event from being taken for the next stamp's. Events that have not arrived by the next stamp, or the
/// end, are missed.
final class StampBoard: Sendable {
    private struct Account {
        var streams = 0
        var since: ContinuousClock.Instant?
        var waiting: Set<Int> = []
        /// The last answered stamp's position.
        var answered: UInt64 = 0
        /// ``answered`` at the beginning of the present stamp, whose events come after it.
        var before: UInt64 = 0
    }

    private struct State {
        var accounts: [Account]
        var microseconds: [UInt64] = []
        var missed = 0
        var lost = 0
    }

    private let state: Mutex<State>

    init(accounts: Int) { state = Mutex(State(accounts: Array(repeating: Account(), count: accounts))) }

    func opened(_ account: Int) { state.withLock { $0.accounts[account].streams += 1 } }

    /// Not closed by this program.
    func lost(_ account: Int) {
        state.withLock {
            $0.accounts[account].streams -= 1
            $0.lost += 1
        }
    }

    /// Each of the streams must report the event of the stamp that is about to be requested.
    func begin(_ account: Int, streams: Range<Int>) {
        state.withLock { state in
            state.missed += state.accounts[account].waiting.count
            state.accounts[account].since = .now
            state.accounts[account].before = state.accounts[account].answered
            state.accounts[account].waiting = Set(streams)
        }
    }

    /// The stamp was refused, so no stream reports it.
    func cancel(_ account: Int) { state.withLock { $0.accounts[account].waiting = [] } }

    /// The stamp's events may arrive before or after the answer.
    func answered(_ account: Int, at position: UInt64) { state.withLock { $0.accounts[account].answered = position } }

    /// Times the stream's first event of the last stamp.
    func told(_ account: Int, by stream: Int, at position: UInt64) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard let since = state.accounts[account].since, position > state.accounts[account].before,
                state.accounts[account].waiting.remove(stream) != nil
            else { return }
            state.microseconds.append(UInt64(max(0, (now - since) / .microseconds(1))))
        }
    }

    /// Streams from which an event is expected.
    var waiting: Int { state.withLock { $0.accounts.reduce(0) { $0 + $1.waiting.count } } }

    /// Returns and resets times and missed events; expected events count as missed. Also returns the lost streams.
    func take() -> (microseconds: [UInt64], missed: Int, lost: Int) {
        state.withLock { state in
            for account in state.accounts.indices {
                state.missed += state.accounts[account].waiting.count
                state.accounts[account].waiting = []
            }
            defer { (state.microseconds, state.missed) = ([], 0) }
            return (state.microseconds.sorted(), state.missed, state.lost)
        }
    }
}

/// One open stream. Reads only each chunk's beginning and records only times, because ten thousand readers share the processor with the
/// measured server.
final class StreamReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let board: StampBoard
    private let (account, number): (Int, Int)
    private let isOpen: EventLoopPromise<Void>
    private var hasBegun = false

    init(_ board: StampBoard, account: Int, number: Int, isOpen: EventLoopPromise<Void>) {
        (self.board, self.account, self.number, self.isOpen) = (board, account, number, isOpen)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard head.status == .ok else {
                isOpen.fail(LoadError.unexpected(request: "GET /v1/me/events", status: Int(head.status.code), body: ""))
                return context.close(promise: nil)
            }
        case .body(let bytes):
            if !hasBegun {
                hasBegun = true
                board.opened(account)
                isOpen.succeed(())
            }
            if let position = Self.eventPosition(in: bytes) { board.told(account, by: number, at: position) }
        case .end: context.close(promise: nil)
        }
    }

    /// The message's id; nil without id or data, as in the first message and heartbeats.
    static func eventPosition(in bytes: ByteBuffer) -> UInt64? {
        let view = bytes.readableBytesView
        guard view.starts(with: "id: ".utf8) else { return nil }
        let text = String(decoding: view.prefix(256), as: UTF8.self)
        return text.contains("\ndata: ") ? UInt64(text.dropFirst("id: ".count).prefix { $0 != "\n" }) : nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOpen.fail(LoadError.disconnected)
        if hasBegun { board.lost(account) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isOpen.fail(error)
        context.close(promise: nil)
    }

    /// Waits for the first message.
    static func open(
        _ address: ServerAddress, from source: String, token: String, account: Int, number: Int, _ board: StampBoard,
        on group: any EventLoopGroup
    ) async throws -> any Channel {
        let loop = group.next()
        let isOpen = loop.makePromise(of: Void.self)
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            // Messages are small.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2_048))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(StreamReader(board, account: account, number: number, isOpen: isOpen))
                }
            }
            .bind(to: try SocketAddress(ipAddress: source, port: 0))
        let channel: any Channel
        do { channel = try await bootstrap.connect(host: address.host, port: address.port).get() } catch {
            isOpen.fail(error)
            throw error
        }
        let headers = HTTPHeaders([
            ("Host", "\(address.host):\(address.port)"), ("Authorization", "Bearer " + token), ("Accept", "text/event-stream"),
        ])
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/v1/me/events", headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        try await isOpen.futureResult.get()
        return channel
    }
}
