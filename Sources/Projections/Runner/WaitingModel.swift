package import EventLog
internal import Synchronization

/// An open generation in any storage engine, with all that a ``ModelRunner`` needs to follow it.
package struct WaitingModel: Sendable {
    package let name: String
    package let position: Position
    package let reason: BuildReason?
    package let generation: String
    package let follower: @Sendable () throws(ReadModelError) -> any ModelFollower
    package let close: @Sendable () throws(ReadModelError) -> Void
    /// Like ``close``, for a replaced generation that readers may still use.
    let retire: @Sendable () throws(ReadModelError) -> Void
    let serve: @Sendable () -> Void
    let exchange: ModelExchange?
    private(set) var map: @Sendable () -> MapUsage? = { nil }
    private(set) var replaced: ReadModelError?
    private(set) var health: ModelHealth?
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

    package init(
        _ model: WaitingModel, retire: @escaping @Sendable () throws(ReadModelError) -> Void, serve: @escaping @Sendable () -> Void,
        exchange: ModelExchange, replaced: ReadModelError?, health: ModelHealth
    ) {
        (self.replaced, self.health) = (replaced, health)
        (name, position, reason, generation) = (model.name, model.position, model.reason, model.generation)
        (follower, close, self.retire) = (model.follower, model.close, retire)
        (self.serve, self.exchange) = (serve, exchange)
    }

    init(
        name: String, position: Position, generation: String,
        follower: @escaping @Sendable () throws(ReadModelError) -> any ModelFollower, exchange: ModelExchange
    ) {
        (self.name, self.position, reason, self.generation) = (name, position, nil, generation)
        (self.follower, close, retire, serve) = (follower, {}, {}, {})
        self.exchange = exchange
    }

    var isRemoved: Bool { place.map { $0.folder.isRemoved($0.generation) } ?? false }

    var isDamaged: Bool { health?.damage.error != nil }

    var place: (folder: ModelFolder, generation: Generation)? {
        guard let folder = exchange?.folder, let generation = Generation(text: generation) else { return nil }
        return (folder, generation)
    }

    package init<Model: Projection>(_ box: ModelBox<Model>, _ opened: OpenModel, _ log: EventLog) throws(ReadModelError) {
        try self.init(box.model, opened, log, box: box)
    }

    init<Model: Projection>(_ model: Model, _ opened: OpenModel, _ log: EventLog, box: ModelBox<Model>) throws(ReadModelError) {
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

/// The current instance of a model, for readers, while generations are replaced.
///
/// A read uses one instance to its end. The next instance's position is at least as high. The last reader's release closes the files.
package final class ModelBox<Model: Sendable>: Sendable {
    private let held: Mutex<Model>

    package init(_ model: Model) { held = Mutex(model) }

    package var model: Model { held.withLock { $0 } }

    /// Replaces the instance that readers get.
    package func put(_ model: Model) {
        // Released outside the lock, because closing a file takes long.
        let old = held.withLock { held in
            defer { held = model }
            return held
        }
        _ = consume old
    }
}
