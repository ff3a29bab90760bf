public import EventLog
public import Projections

/// The only list of models in the service, in the order of tools. A new case does not compile without its type here and its replay in
/// `ReplayFold`. A model's own type declares everything else, such as ``ReadModel/isInSnapshots`` and ``ReadModel/isForReports``.
package enum ModelKind: CaseIterable {
    case cards, ratings, notices, statistics, journeys, deadlines, activity, customers, searches

    var type: any ReadModel.Type {
        switch self {
        case .cards: CardProgress.self
        case .ratings: ShopRatings.self
        case .notices: Notices.self
        case .statistics: Statistics.self
        case .journeys: Journeys.self
        case .deadlines: Deadlines.self
        case .activity: ActivityPlaces.self
        case .customers: Customers.self
        case .searches: Searches.self
        }
    }

    package var name: String { type.name }
}

/// All read models of a data folder, open and following the log. The process MUST hold the log for writing, which keeps other processes
/// from the models.
public final class ReadModels: Sendable {
    public static let models = ModelKind.allCases.map { $0.type }

    /// The models in use now. Get them again for each read, because a rebuild replaces them.
    public var cards: CardProgress { model() }
    public var ratings: ShopRatings { model() }
    public var notices: Notices { model() }
    public var statistics: Statistics { model() }
    public var journeys: Journeys { model() }
    public var deadlines: Deadlines { model() }
    public var activity: ActivityPlaces { model() }
    public var customers: Customers { model() }
    public var searches: Searches { model() }
    public let runners: [ModelRunner]
    private let log: EventLog
    private let boxes: [String: any OpenBox]

    /// Opens or creates every model, and starts to follow the log.
    ///
    /// - Parameter directory: `DATA/derived/models`.
    public convenience init(directory: String, log: EventLog) throws(ReadModelError) {
        try self.init(directory: directory, log: log, others: [])
    }

    /// Opens the models, and adds open models of other layers, which are treated like them.
    package init(directory: String, log: EventLog, others: [WaitingModel], map: MapLimit = .init()) throws(ReadModelError) {
        var (boxes, waiting) = ([String: any OpenBox](), [WaitingModel]())
        for model in Self.models {
            let (box, opened) = try Self.open(model, in: directory, log, map)
            boxes[model.name] = box
            waiting.append(opened)
        }
        (self.log, self.boxes) = (log, boxes)
        // No thread may run if a model cannot be opened.
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
        guard let model = boxes[Model.name]?.current as? Model else { preconditionFailure("\(Model.name) is not in ModelKind") }
        return model
    }

    public var position: Position { runners.map(\.position).min() ?? .start }

    /// The position up to which readers of one model see every event.
    ///
    /// A model does not store its position after each event, so a snapshot includes the higher of its position and of this one as given
    /// before.
    public func position(of model: String) -> Position { runners.first { $0.name == model }?.position ?? .start }

    /// The position up to which an answer that is no report shows every event.
    public var shownPosition: Position { runners.lazy.filter { !Self.reports.contains($0.name) }.map(\.position).min() ?? .start }

    private static let reports = Set(models.filter { $0.isForReports }.map { $0.name })

    /// Events that the slowest model has not processed.
    public var lag: UInt64 { status.map(\.lag).max() ?? 0 }

    public var status: [ModelStatus] { runners.map(\.status) }

    /// Waits until some models, or all if nil, have reached a position. Returns false after the timeout, or if a model has stopped.
    public func reached(_ position: Position, timeoutSeconds: Double = 2, in models: Set<String>? = nil) async -> Bool {
        let late = runners.filter { $0.position < position && models?.contains($0.name) ?? true }
        if late.isEmpty { return true }
        let deadline = ContinuousClock.now.advanced(by: .seconds(timeoutSeconds))
        for runner in late {
            let left = max(0, (deadline - ContinuousClock.now) / .seconds(1))
            guard await runner.reached(position, timeoutSeconds: left) else { return false }
        }
        return true
    }

    /// Stops every model after its batch and flushes it; a second call does nothing. Close the log afterwards.
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

extension ReadModels {
    /// Searches every file that is not too large for damage. A damaged model is rebuilt. Blocks.
    @available(*, noasync)
    public func search() { for runner in runners { runner.search(bytesMax: ProjectionLimits.searchedBytesMax) } }

    /// Calls `body`, which reads every page of a model; see ``ModelRunner/audited(_:)``.
    package func audited(_ model: String, _ body: () -> String?) { runners.first { $0.name == model }?.audited(body) }
}

extension ReadModels {
    /// The store in use of a named model. The auditor reads through it, because LMDB must not open a folder twice in a process.
    package func store(of model: String) -> ModelStore? { boxes[model]?.current.store }

    public static var names: [String] { models.map { $0.name } }

    /// The model with a name.
    public static func model(named name: String) -> (any ReadModel.Type)? { models.first { $0.name == name } }
}

/// An open model of any type.
private protocol OpenBox: Sendable {
    var current: any ReadModel { get }
}

extension ModelBox: OpenBox where Model: ReadModel {
    fileprivate var current: any ReadModel { model }
}
