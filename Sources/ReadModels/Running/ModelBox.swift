internal import Synchronization

/// Where readers find a model, while generations come and go behind it.
///
/// Who has taken an instance finishes on it; the last to let go of it closes its files. The next one to ask gets the new instance,
/// which has come at least as far.
package final class ModelBox<Model: Sendable>: Sendable {
    private let held: Mutex<Model>

    package init(_ model: Model) { held = Mutex(model) }

    /// The instance in use.
    package var model: Model { held.withLock { $0 } }

    /// Puts another instance into use, in one step.
    package func put(_ model: Model) {
        // The old one goes outside of the lock: closing a file takes longer than a reader should wait.
        let old = held.withLock { held in
            defer { held = model }
            return held
        }
        _ = consume old
    }
}
