import NIOCore
import NIOPosix

/// A bare TCP connection, for requests that no HTTP client would send.
struct RawConnection: Sendable {
    /// Sends the parts in order. Returns everything received until the server closes the connection, or until `enough` is true.
    static func exchange(port: Int, _ parts: [ByteBuffer], until enough: @escaping @Sendable (String) -> Bool = { _ in false }) async throws
        -> String
    {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            // The server may close the connection before everything is sent. The bytes that were received until then are still returned.
            do { for part in parts { try await outbound.write(part) } } catch is ChannelError {} catch is IOError {}
            var received = ""
            do {
                for try await chunk in inbound {
                    received += String(buffer: chunk)
                    if enough(received) { break }
                }
            } catch is IOError {}
            return received
        }
    }
}
