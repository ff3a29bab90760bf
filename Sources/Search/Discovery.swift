public import EventLog
internal import GRDB
public import Loyalty
public import LoyaltyCodec
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
        .shopOpened, .shopEdited, .shopSuspended, .shopReinstated, .shopClosed, .campaignPublished, .campaignEdited,
        .campaignEnded, .favoriteAdded, .favoriteRemoved,
    ]

    private let box: ModelBox<DiscoveryFile>
    /// The generation in use: ask again for each reading, since a rebuild puts another one into its place.
    var file: DiscoveryFile { box.model }
    /// How campaigns stand, as it was read lately.
    let standings = StandingCache()

    /// Of the rows that this program reads.
    package static var schemaVersion: Int { DiscoverySchema.version }

    /// Where the model's generations lie.
    ///
    /// - Parameter models: the folder of all models, `DATA/derived/models`.
    package static func folder(in models: String) -> ModelFolder { DiscoveryFile.folder(in: models) }

    /// The key of a shop's sealed contact data and campaigns; nil where it was destroyed.
    public typealias KeyFinder = @Sendable (ShopID) throws -> DataKey?

    private let folder: ModelFolder
    private let findKey: KeyFinder?

    /// Opens, and where needed makes, the model's folder. Nothing is followed yet: hand ``waiting(for:)`` to whoever follows.
    ///
    /// - Parameters:
    ///   - directory: the folder of all models, `DATA/derived/models`.
    ///   - findKey: the keys of what is sealed; without it only what stands in the log in the clear is found.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/log``.
    public init(directory: String, log: EventLog, findKey: KeyFinder? = nil) throws(ReadModelError) {
        self.findKey = findKey
        folder = Self.folder(in: directory)
        box = ModelBox(try DiscoveryFile.open(in: directory, log: log))
    }

    /// The model as a ``ModelRunner`` takes it.
    package func waiting(for log: EventLog) throws(ReadModelError) -> WaitingModel {
        try Exchange(box: box, standings: standings, folder: folder, log: log, findKey: findKey).waiting(file)
    }

    /// Reads one snapshot, on the calling thread.
    ///
    /// A page takes a fraction of a millisecond of the processor, and so does handing it to another thread and back: under load, each of
    /// the few readers was held while its answer waited in line for a thread, and half of all requests waited for a reader.
    func reading<Result>(_ body: (Database) throws -> Result) throws(ReadModelError) -> Result {
        while true {
            let file = file
            do { return try file.pool.read(body) } catch {
                // Another generation came into use, and the folder of this one may be gone: a new connection finds nothing to open.
                if file.generation == self.file.generation { throw ReadModelError(discovery: error) }
            }
        }
    }
}
