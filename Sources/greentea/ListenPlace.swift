import Foundation
import LoyaltyCodec
import NIOCore
import NIOPosix

/// The address that the service listens on, and the errors if it cannot.
struct ListenPlace {
    let address: ListenAddress

    /// Binds the address for a moment before a first start. If the start failed later, it would leave keys, and a log whose name cannot be
    /// changed.
    ///
    /// - Throws: `Refusal.cannotListen`, `Refusal.unknownHost`.
    func check(beforeMaking data: DataFolder) async throws {
        guard !FileManager.default.fileExists(atPath: data.log) else { return }
        try await explaining {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: address.host, port: address.port).get()
            try await channel.close()
        }
    }

    /// Throws a ``Refusal`` with a remedy if the address cannot be bound.
    func explaining(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw Refusal.cannotListen(address: address.description, reason: "address already in use")
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EADDRNOTAVAIL {
            throw Refusal.cannotListen(address: address.description, reason: error.description)
        } catch is SocketAddressError.UnknownHost {
            throw Refusal.unknownHost(address.description)
        }
    }
}
