package import EventLog
internal import Synchronization

/// An open generation of a model to which a ``ModelRunner`` can apply events, with everything that the runner needs to know about it.
///
/// The model's rows may be in LMDB (``ModelStore``) or in another storage engine. The runner treats all models in the same way.
package struct WaitingModel: Sendable {
    package let name: String
    /// The position that the model had reached when it was opened.
    package let position: Position
    /// The reason why the model is filled from the log's first event on; nil if it continues from its stored position.
    package let reason: BuildReason?
    /// The name of this generation, such as `v1-g3`.
    package let generation: String
    /// Creates the follower, which applies events to the model. Called once, on the thread that advances the model.
    package let follower: @Sendable () throws(ReadModelError) -> any ModelFollower
    /// Makes the stored rows durable. Called once, after the last event.
    package let close: @Sendable () throws(ReadModelError) -> Void
    /// Makes the stored rows durable, while readers may still use the files. Called instead of ``close`` if another generation has replaced
    /// this one.
    let retire: @Sendable () throws(ReadModelError) -> Void
    /// Makes readers use this instance of the model.
    let serve: @Sendable () -> Void
    /// The operations that replace this generation by another one; nil if the model does not support that.
    let exchange: ModelExchange?
    /// Returns the usage of the model's memory map; nil for a model outside LMDB.
    private(set) var map: @Sendable () -> MapUsage? = { nil }
    /// The damage of the generation that this one replaces; nil if it replaces none because of damage.
    private(set) var replaced: ReadModelError?
    /// The damage of this generation, and the search for it; nil if nothing searches it.
    private(set) var health: ModelHealth?
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
    ///   - model: the model, with the operations to apply events and to close it.
    ///   - retire: makes the stored rows durable, while readers may still use the files.
    ///   - serve: makes readers use this instance.
    ///   - replaced: the damage of the generation that this one replaces.
    package init(
        _ model: WaitingModel, retire: @escaping @Sendable () throws(ReadModelError) -> Void, serve: @escaping @Sendable () -> Void,
        exchange: ModelExchange, replaced: ReadModelError?, health: ModelHealth
    ) {
        (self.replaced, self.health) = (replaced, health)
        (name, position, reason, generation) = (model.name, model.position, model.reason, model.generation)
        (follower, close, self.retire) = (model.follower, model.close, retire)
        (self.serve, self.exchange) = (serve, exchange)
    }

    /// Creates a model with any follower, for tests. The model can be replaced by another generation.
    init(
        name: String, position: Position, generation: String,
        follower: @escaping @Sendable () throws(ReadModelError) -> any ModelFollower, exchange: ModelExchange
    ) {
        (self.name, self.position, reason, self.generation) = (name, position, nil, generation)
        (self.follower, close, retire, serve) = (follower, {}, {}, {})
        self.exchange = exchange
    }

    /// Whether something outside this process has removed the model's files.
    var isRemoved: Bool { place.map { $0.folder.isRemoved($0.generation) } ?? false }

    /// Whether damage of this generation is known.
    var isDamaged: Bool { health?.damage.error != nil }

    /// The folder of the model, and the generation in it.
    var place: (folder: ModelFolder, generation: Generation)? {
        guard let folder = exchange?.folder, let generation = Generation(text: generation) else { return nil }
        return (folder, generation)
    }

    /// Creates a model whose rows are in LMDB, and whose instance in `box` is in use.
    package init<Model: Projection>(_ box: ModelBox<Model>, _ opened: OpenModel, _ log: EventLog) throws(ReadModelError) {
        try self.init(box.model, opened, log, box: box)
    }

    /// Creates a model whose rows are in LMDB. Readers get the current instance from `box`.
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
        replaced = opened.damage
        health = ModelHealth(opened.store.damage) { () throws(ReadModelError) in try opened.store.requireWholePages() }
    }
}

/// Provides readers with the current instance of a model while generations are replaced.
///
/// A reader uses the instance that it got until the end of its read. Reads that begin after a replacement get the new instance, whose
/// position is at least as high as that of the old instance. When the last reader has released the old instance, its files are closed.
package final class ModelBox<Model: Sendable>: Sendable {
    private let held: Mutex<Model>

    package init(_ model: Model) { held = Mutex(model) }

    /// The instance in use.
    package var model: Model { held.withLock { $0 } }

    /// Replaces the instance that readers get.
    package func put(_ model: Model) {
        // The old instance is released outside the lock, because closing a file takes longer than a reader should wait.
        let old = held.withLock { held in
            defer { held = model }
            return held
        }
        _ = consume old
    }
}
