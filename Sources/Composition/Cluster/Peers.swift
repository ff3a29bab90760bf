package import CommandService
package import EventLog
package import Loyalty
internal import LoyaltyCodec
internal import Synchronization

/// The other nodes of the cluster that seem alive.
///
/// Every call that asks a node blocks its thread. Any thread may call.
package final class Peers: Sendable {
    private let parts: ClusterParts

    /// - Parameters:
    ///   - rows: this node's ``KeyStore/wrappedRows(of:asOf:)``.
    ///   - picture: this node's sealed file of a picture.
    package init(
        _ parts: ClusterParts, rows: @escaping @Sendable ([AccountID]) throws -> [UInt8],
        picture: @escaping @Sendable (ImageID) throws -> [UInt8]?
    ) {
        self.parts = parts
    }

    /// Takes over what the last beat has read. Called on one thread.
    package func update(_ view: PresenceView, term: UInt64) {}

    /// The node that is named as the writer; nil if none or this one is.
    package var writer: (any PeerNode)? { nil }

    /// Ends all calls, also those that wait.
    package func stop() {}
}
