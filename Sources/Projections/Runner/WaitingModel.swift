package import EventLog
internal import Synchronization

/// An open generation in any storage engine, with all that a ``ModelRunner`` needs to follow it.
package struct WaitingModel: Sendable {
    package let name: String
    package let position: Position
    package let reason: BuildReason?
    package let generation: Generation
    package let follower: @Sendable () throws(ReadModelError) -> any ModelFollower
    package let close: @Sendable () throws(ReadModelError) -> Void
    /// Like ``close``, for a replaced generation that readers may still use.
    let retire: @Sendable () throws(ReadModelError) -> Void
    let serve: @Sendable () -> Void
    let exchange: ModelExchange?
    private(set) var map: @Sendable () -> MapUsage? = { nil }
    let replaced: ReadModelError?
    let health: ModelHealth?
    private(set) var restSeconds = 0.0

    /// - Parameter retire: nil for ``close``.
    package init(
        name: String, position: Position, reason: BuildReason?, generation: Generation,
        follower: @escaping @Sendable () throws(ReadModelError) -> any ModelFollower,
        close: @escaping @Sendable () throws(ReadModelError) -> Void, retire: (@Sendable () throws(ReadModelError) -> Void)? = nil,
        serve: @escaping @Sendable () -> Void = {}, exchange: ModelExchange? = nil, replaced: ReadModelError? = nil,
        health: ModelHealth? = nil
    ) {
        (self.name, self.position, self.reason, self.generation) = (name, position, reason, generation)
        (self.follower, self.close, self.retire, self.serve) = (follower, close, retire ?? close, serve)
        (self.exchange, self.replaced, self.health) = (exchange, replaced, health)
    }

    package init<Model: Projection>(_ box: ModelBox<Model>, _ opened: OpenModel, _ log: EventLog) throws(ReadModelError) {
        try self.init(box.model, opened, log, box: box)
    }

    init<Model: Projection>(_ model: Model, _ opened: OpenModel, _ log: EventLog, box: ModelBox<Model>) throws(ReadModelError) {
        self.init(
            name: Model.name, position: try opened.mark().position, reason: opened.reason, generation: opened.generation,
            follower: { () throws(ReadModelError) -> any ModelFollower in
                try ModelUpdater(model, in: opened.store, log: log, options: .following)
            },
            close: { () throws(ReadModelError) in try opened.close() }, serve: { box.put(model) },
            exchange: ModelExchange(box, opened.folder, served: opened.generation.schemaVersion, log), replaced: opened.damage,
            health: ModelHealth(opened.store.damage) { () throws(ReadModelError) in try opened.store.requireWholePages() })
        (restSeconds, map) = (Model.restSeconds, { opened.mapUsage })
    }

    var isRemoved: Bool { place.map { $0.folder.isRemoved($0.generation) } ?? false }

    var isDamaged: Bool { health?.damage.error != nil }

    var place: (folder: ModelFolder, generation: Generation)? { exchange.map { ($0.folder, generation) } }
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
