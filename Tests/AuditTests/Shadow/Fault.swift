import Foundation
import Loyalty
import Synchronization

/// A bug seeded into one model of one data folder: it does something else than it should with one event.
struct Fault: Sendable {
    enum Kind: Sendable {
        /// Takes it for one of the next day.
        case otherDay
        /// Takes it for one further on.
        case otherPlace
        /// Overlooks it.
        case skipped
        /// Refuses it.
        case refused
    }

    let position: UInt64
    let kind: Kind

    /// By the folder that the model's rows lie under: models get nothing else handed in.
    private static let known = Mutex<[String: Fault]>([:])

    /// From now on models below this path have the bug.
    func seed(below path: String) {
        Self.known.withLock { $0[path] = self }
    }

    static func below(_ directory: String) -> Fault? {
        known.withLock { $0.first { directory.hasPrefix($0.key + "/") }?.value }
    }
}
