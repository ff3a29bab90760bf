public import EventLog
public import Projections

/// All read models of a data folder, open and following the log.
///
/// Opening does not wait until the models have processed the log. A model that is being rebuilt serves the rows that it has so far, and
/// ``reached(_:timeoutSeconds:in:)`` reports when it has caught up. The process MUST hold the log for writing, which keeps every other
/// process from writing to the models.
public final class ReadModels: Sendable {
    /// Every model, in the order in which tools show them. This is the only list of models in the service; `ReplayFold` has the auditor's.
    public static let models: [any ReadModel.Type] = [
        CardProgress.self, ShopRatings.self, Notices.self, Statistics.self, Journeys.self, Deadlines.self,
    ]

    /// The model of cards and of accounts' cards. Like the other models, this is the instance in use now. Get it again for each read,
    /// because a rebuild replaces it.
    public var cards: CardProgress { model() }
    /// The model of ratings and reviews.
    public var ratings: ShopRatings { model() }
    /// The model of notices and of their read marks.
    public var notices: Notices { model() }
    /// The model of shops' statistics.
    public var statistics: Statistics { model() }
    /// The model of cards' histories and customers' visits.
    public var journeys: Journeys { model() }
    /// The model of everything that time alone will cause.
    public var deadlines: Deadlines { model() }
    /// The runners that keep the models up to date, one for each model.
    public let runners: [ModelRunner]
    private let log: EventLog
    private let boxes: [String: any OpenBox]

    /// Opens every model under `DATA/derived/models`, creates those that are missing, and starts to follow the log.
    ///
    /// - Parameter directory: `DATA/derived/models`.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/locked``, ``ReadModelError/Code/log``.
    public convenience init(directory: String, log: EventLog) throws(ReadModelError) {
        try self.init(directory: directory, log: log, others: [])
    }

    /// Opens the models, and adds open models of other layers. These follow the log and are closed like the others.
    ///
    /// - Parameter map: the largest size that the file of each model may grow to.
    package init(directory: String, log: EventLog, others: [WaitingModel], map: MapLimit = .init()) throws(ReadModelError) {
        var (boxes, waiting) = ([String: any OpenBox](), [WaitingModel]())
        for model in Self.models {
            let (box, opened) = try Self.open(model, in: directory, log, map)
            boxes[model.name] = box
            waiting.append(opened)
        }
        (self.log, self.boxes) = (log, boxes)
        // The first thread starts when all models are open, so that no thread runs if one of them cannot be opened or read.
        runners = (waiting + others).map { ModelRunner($0, following: log) }
    }

    private static func open<Model: ReadModel>(
        _ model: Model.Type, in directory: String, _ log: EventLog, _ map: MapLimit
    ) throws(ReadModelError) -> (box: any OpenBox, waiting: WaitingModel) {
        let opened = try OpenModel.open(model, in: directory, log: log, map: map)
        let box = ModelBox(try Model(opened.store))
        return (box, try WaitingModel(box, opened, log))
    }

    private func model<Model: ReadModel>() -> Model {
        guard let model = boxes[Model.name]?.current as? Model else { preconditionFailure("\(Model.name) is not in ReadModels.models") }
        return model
    }

    /// The lowest position of all models. Every reader sees at least the events up to this position.
    public var position: Position { runners.map(\.position).min() ?? .start }

    /// The position up to which readers of one model see every event. They may also see later events.
    ///
    /// A model does not store its position after each event without effect on its rows, so the position in a snapshot may be too low. A
    /// snapshot includes the log up to the higher of two positions: the one that this function gave before the snapshot was taken, and the
    /// one in the snapshot.
    public func position(of model: String) -> Position { runners.first { $0.name == model }?.position ?? .start }

    /// The lowest position of all models except those named in `others`.
    public func position(without others: Set<String>) -> Position {
        runners.lazy.filter { !others.contains($0.name) }.map(\.position).min() ?? .start
    }

    /// The number of events that the slowest model has not processed yet.
    public var lag: UInt64 { status.map(\.lag).max() ?? 0 }

    /// The status of each model.
    public var status: [ModelStatus] { runners.map(\.status) }

    /// Waits until some models, or all, have processed the log up to a position.
    ///
    /// - Parameter models: the names of the models; nil for every model.
    /// - Returns: true once they have; false after the timeout, or at once if a model has stopped before that position.
    public func reached(_ position: Position, timeoutSeconds: Double = 2, in models: Set<String>? = nil) async -> Bool {
        let late = runners.filter { $0.position < position && models?.contains($0.name) ?? true }
        // Usually every model is up to date already, and the clock need not be read.
        if late.isEmpty { return true }
        let deadline = ContinuousClock.now.advanced(by: .seconds(timeoutSeconds))
        for runner in late {
            let left = max(0, (deadline - ContinuousClock.now) / .seconds(1))
            guard await runner.reached(position, timeoutSeconds: left) else { return false }
        }
        return true
    }

    /// Stops every model after the batch in progress and flushes it. A second call does nothing. Close the log afterwards.
    ///
    /// - Throws: the first failure, after every model was stopped.
    public func close() throws(ReadModelError) {
        var failure: ReadModelError?
        for runner in runners { runner.askToStop() }
        for runner in runners {
            do throws(ReadModelError) { try runner.stop() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}

/// The search for damaged pages in the models' files.
extension ReadModels {
    /// Searches the file of every model that is not too large for that. A damaged model is rebuilt. Blocks.
    @available(*, noasync)
    public func search() {
        for runner in runners { runner.search(bytesMax: ProjectionLimits.searchedBytesMax) }
    }

    /// Calls `body`, which follows every page of a model, unless the model is damaged; see ``ModelRunner/audited(_:)``.
    package func audited(_ model: String, _ body: () -> String?) {
        runners.first { $0.name == model }?.audited(body)
    }
}

extension ReadModels {
    /// The open store of the model with this name, in the generation in use; nil for an unknown name. The auditor in this process reads
    /// through it, because LMDB must not open a folder twice in a process.
    package func store(of model: String) -> ModelStore? { boxes[model]?.current.store }

    /// The models' names.
    public static var names: [String] { models.map { $0.name } }

    /// The model with a name; nil for an unknown name.
    public static func model(named name: String) -> (any ReadModel.Type)? {
        models.first { $0.name == name }
    }
}

/// The place of an open model of any type.
private protocol OpenBox: Sendable {
    /// The instance in use.
    var current: any ReadModel { get }
}

extension ModelBox: OpenBox where Model: ReadModel {
    fileprivate var current: any ReadModel { model }
}
