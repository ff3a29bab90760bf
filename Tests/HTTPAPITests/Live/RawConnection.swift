import NIOCore
import NIOPosix

/// A bare TCP connection, for requests that no client would send.
struct RawConnection: Sendable {
    /// Sends the parts one after the other and returns everything that comes back until the server closes, or until `enough`.
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
            // Hung up on before all was said, what was answered until then counts.
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
