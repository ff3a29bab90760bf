package import EventLog
internal import Synchronization

/// An open model that is ready to be followed, with everything that a ``ModelRunner`` needs to know about it.
///
/// Models of ``ModelStore`` have their rows in LMDB. A model with another store keeps them elsewhere, and is followed in the same way.
package struct WaitingModel: Sendable {
    package let name: String
    /// The position that the model has reached.
    package let position: Position
    /// The reason why the model was rebuilt; nil if it continues from its stored position.
    package let reason: BuildReason?
    /// The folder in use, such as `v1-g3`.
    package let generation: String
    /// Makes the follower. Called once, on the thread that advances the model.
    package let follower: @Sendable () throws(ReadModelError) -> any ModelFollower
    /// Makes the stored rows durable. Called once, after the last event.
    package let close: @Sendable () throws(ReadModelError) -> Void
    /// Ends the work of this instance. Called instead of ``close`` if another generation has replaced this one, which readers may still
    /// use.
    let retire: @Sendable () throws(ReadModelError) -> Void
    /// Switches readers to this instance.
    let serve: @Sendable () -> Void
    /// The operations that replace this generation by another; nil if that is not possible.
    let exchange: ModelExchange?
    /// Returns the usage of the model's memory map; nil for a model outside LMDB.
    private(set) var map: @Sendable () -> MapUsage? = { nil }
    /// The pause after each batch; see ``Projection/restSeconds``.
    private(set) var restSeconds = 0.0

    package init(
        name: String, position: Position, reason: BuildReason?, generation: Generation,
        follower: @escaping @Sendable () throws(ReadModelError) -> any ModelFollower,
        close: @escaping @Sendable () throws(ReadModelError) -> Void
    ) {
        (self.name, self.position, self.reason) = (name, position, reason)
        self.generation = generation.text
        (self.follower, self.close, retire) = (follower, close, close)
        (serve, exchange) = ({}, nil)
    }

    /// Creates a model that can be replaced while it is followed.
    ///
    /// - Parameters:
    ///   - model: the operations to follow and close it.
    ///   - retire: makes the stored rows durable without disturbing remaining readers.
    ///   - serve: switches readers to the instance.
    package init(
        _ model: WaitingModel, retire: @escaping @Sendable () throws(ReadModelError) -> Void, serve: @escaping @Sendable () -> Void,
        exchange: ModelExchange
    ) {
        (name, position, reason, generation) = (model.name, model.position, model.reason, model.generation)
        (follower, close, self.retire) = (model.follower, model.close, retire)
        (self.serve, self.exchange) = (serve, exchange)
    }

    /// Creates a replaceable model with a custom follower, for tests.
    init(
        name: String, position: Position, generation: String,
        follower: @escaping @Sendable () throws(ReadModelError) -> any ModelFollower, exchange: ModelExchange
    ) {
        (self.name, self.position, reason, self.generation) = (name, position, nil, generation)
        (self.follower, close, retire, serve) = (follower, {}, {}, {})
        self.exchange = exchange
    }

    /// Whether something has removed the model's files.
    var isRemoved: Bool { Generation(text: generation).flatMap { exchange?.folder.isRemoved($0) } ?? false }

    /// Creates a model with its rows in LMDB. Its readers get the current instance from `box`.
    init<Model: Projection>(
        _ model: Model, _ opened: OpenModel, _ log: EventLog, box: ModelBox<Model>
    ) throws(ReadModelError) {
        (name, position, reason) = (Model.name, try opened.store.mark().position, opened.reason)
        generation = opened.generation.text
        follower = { () throws(ReadModelError) -> any ModelFollower in
            try ModelUpdater(model, in: opened.store, log: log, options: .following)
        }
        close = { () throws(ReadModelError) in try opened.close() }
        retire = close
        serve = { box.put(model) }
        exchange = ModelExchange(box, opened.folder, served: opened.generation.schemaVersion, log)
        restSeconds = Model.restSeconds
        map = { opened.mapUsage }
    }
}

/// Provides readers with the current instance of a model while generations are replaced.
///
/// A reader finishes with the instance that it took, and the last one to release an instance closes its files. A later read gets the new
/// instance. The new instance has reached at least the position that readers of the old one saw.
package final class ModelBox<Model: Sendable>: Sendable {
    private let held: Mutex<Model>

    package init(_ model: Model) { held = Mutex(model) }

    /// The instance in use.
    package var model: Model { held.withLock { $0 } }

    /// Replaces the instance in use atomically.
    package func put(_ model: Model) {
        // The old instance is released outside the lock, because closing a file takes longer than a reader should wait.
        let old = held.withLock { held in
            defer { held = model }
            return held
        }
        _ = consume old
    }
}
