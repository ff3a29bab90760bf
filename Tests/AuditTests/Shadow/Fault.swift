import Foundation
import Loyalty
import Synchronization

/// A bug seeded into one model in one data folder: the model mishandles one event.
struct Fault: Sendable {
    enum Kind: Sendable {
        /// Treats the event as if it had happened on the next day.
        case otherDay
        /// Treats the event as if it had a later position.
        case otherPlace
        /// Skips the event.
        case skipped
        /// Refuses the event.
        case refused
    }

    let position: UInt64
    let kind: Kind

    /// Maps a path to its bug. Models look a bug up by their folder, because a model receives no other input.
    private static let known = Mutex<[String: Fault]>([:])

    /// Seeds the bug into every model that is opened below this path.
    func seed(below path: String) { Self.known.withLock { $0[path] = self } }

    static func below(_ directory: String) -> Fault? { known.withLock { $0.first { directory.hasPrefix($0.key + "/") }?.value } }
}
