public import EventLog
internal import GRDB
internal import LoyaltyCodec
public import ReadModels

/// What there is to discover: shops and campaigns by place, by words, by age and by how many keep them; and who keeps what.
///
/// A read model like those of ``ReadModels``, in SQLite: FTS5 finds words, R*Tree finds places. It holds what is searched and sorted by
/// and answers with ids; what is shown of them is read from the log. Reads take one snapshot each and wait for nobody; any task may
/// read while the model moves on.
public final class Discovery: Sendable {
    /// The model's folder and its name in tools.
    public static let name = "discovery"

    /// The only events that it reads. What each means for the rows is one case of `Database.apply(_:)`.
    public static let eventTypes: Set<EventType> = [
        .shopOpened, .shopEdited, .shopSuspended, .shopReinstated, .campaignPublished, .campaignEdited, .campaignEnded,
        .favoriteAdded, .favoriteRemoved,
    ]

    let file: DiscoveryFile
    /// How campaigns stand, as it was read lately.
    let standings = StandingCache()

    /// Opens, and where needed makes, the model's folder. Nothing is followed yet: hand ``waiting(for:)`` to whoever follows.
    ///
    /// - Parameter directory: the folder of all models, `DATA/derived/models`.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/log``.
    public init(directory: String, log: EventLog) throws(ReadModelError) {
        file = try DiscoveryFile.open(in: directory, log: log)
    }

    /// The model as a ``ModelRunner`` takes it.
    package func waiting(for log: EventLog) throws(ReadModelError) -> WaitingModel {
        let (file, standings) = (file, standings)
        return WaitingModel(
            name: Self.name, position: try file.mark().position, reason: file.reason, generation: file.generation,
            follower: { () throws(ReadModelError) -> any ModelFollower in
                try DiscoveryFollower(file, log: log, standings: standings)
            },
            close: { () throws(ReadModelError) in try file.close() })
    }

    /// Reads one snapshot, off the calling task's thread.
    func reading<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws(ReadModelError) -> Result {
        do { return try await file.pool.read(body) } catch { throw ReadModelError(discovery: error) }
    }
}
