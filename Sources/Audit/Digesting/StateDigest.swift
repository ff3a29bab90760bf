internal import Crypto
public import EventLog
internal import LMDB
internal import ReadModels

/// What a log amounts to at a position, in 32 bytes: the same on every machine and every run, however the events came in.
public struct StateDigest: Hashable, Sendable {
    /// The last event reflected.
    public let position: Position
    /// Events looked at.
    public let events: UInt64
    /// One for each model, in the order of ``ReadModels/names``.
    public let models: [ModelDigest]
    /// SHA-256 over each model's name (u32 length, bytes) and digest.
    public let bytes: [UInt8]

    /// Models digested at once: as many as there are threads that fold.
    private static let threads = 2
    /// What takes longest is begun first, so that all threads end at about the same time.
    private static let longest = [Statistics.name, CardProgress.name, Journeys.name]

    /// The digest of a replayed state.
    public init(of replay: Replay) {
        position = replay.position
        events = replay.events
        let types = ReadModels.models.filter { replay.models.contains($0.name) }
        let work = types.sorted { Self.place($0.name) < Self.place($1.name) }
        let digests = WorkQueue.outcomes(of: work.count, on: Self.threads, named: "digest") { ModelDigest(of: replay, model: work[$0]) }
        models = types.compactMap { type in digests.first { $0.model == type.name } }
        var content: [UInt8] = []
        for digest in models {
            content.append(littleEndian: UInt32(digest.model.utf8.count))
            content.append(contentsOf: digest.model.utf8)
            content.append(contentsOf: digest.bytes)
        }
        bytes = Array(SHA256.hash(data: content))
    }

    private static func place(_ model: String) -> Int { longest.firstIndex(of: model) ?? longest.count }

    /// 64 hexadecimal digits.
    public var hex: String { ModelDigest.hex(bytes) }
}
