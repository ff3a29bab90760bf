import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The stamps that are in progress, and the measured times from each stamp to its event on the account's streams.
///
/// An account has one stamp in progress at a time. The answer to the last stamp states its position, so a late event of that stamp or of an
/// earlier one is not taken for the event of the next stamp. An event that has not arrived when the account's next stamp begins, or at the
/// end, counts as missed.
final class StampBoard: Sendable {
    private struct Account {
        var streams = 0
        var since: ContinuousClock.Instant?
        var waiting: Set<Int> = []
        /// The position of the last stamp that was answered; 0 if there is none.
        var answered: UInt64 = 0
        /// The value of ``answered`` when the stamp in progress began. Its events have higher positions.
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

    /// Records that a stream ended without being closed by this program.
    func lost(_ account: Int) {
        state.withLock {
            $0.accounts[account].streams -= 1
            $0.lost += 1
        }
    }

    /// Records that a stamp of the account is about to be requested. Each of the given streams must report the stamp's event.
    func begin(_ account: Int, streams: Range<Int>) {
        state.withLock { state in
            state.missed += state.accounts[account].waiting.count
            state.accounts[account].since = .now
            state.accounts[account].before = state.accounts[account].answered
            state.accounts[account].waiting = Set(streams)
        }
    }

    /// Records that the account's stamp was refused, so that no stream is expected to report an event.
    func cancel(_ account: Int) { state.withLock { $0.accounts[account].waiting = [] } }

    /// Records the position of the account's stamp, which its answer states. The stamp's events may arrive before or after the answer.
    func answered(_ account: Int, at position: UInt64) { state.withLock { $0.accounts[account].answered = position } }

    /// Records that a stream has reported an event with this position. It is timed if it is the stream's first event of the stamp that
    /// began last.
    func told(_ account: Int, by stream: Int, at position: UInt64) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard let since = state.accounts[account].since, position > state.accounts[account].before,
                state.accounts[account].waiting.remove(stream) != nil
            else { return }
            state.microseconds.append(UInt64(max(0, (now - since) / .microseconds(1))))
        }
    }

    /// The number of streams from which an event is still expected.
    var waiting: Int { state.withLock { $0.accounts.reduce(0) { $0 + $1.waiting.count } } }

    /// Returns and resets the measured times and the number of missed events. Events that are still expected count as missed, and are no
    /// longer expected. Also returns the number of lost streams.
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

/// One open stream of an account.
///
/// A reader looks only at the beginning of each chunk, and records only the time of an event. So ten thousand readers use little of the
/// processor, which they share with the measured server.
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

    /// The position, which is the id, of the message with which the chunk begins; nil if the chunk begins with no id, or the message has no
    /// data. The first message of a stream has an id but no data, and a heartbeat is a comment.
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

    /// Opens a stream and waits for its first message.
    static func open(
        _ address: ServerAddress, from source: String, token: String, account: Int, number: Int, _ board: StampBoard,
        on group: any EventLoopGroup
    ) async throws -> any Channel {
        let loop = group.next()
        let isOpen = loop.makePromise(of: Void.self)
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            // The messages of a stream are small, so small receive buffers suffice.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2_048))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(
                        StreamReader(board, account: account, number: number, isOpen: isOpen))
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
