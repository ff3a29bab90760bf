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

    /// Models digested at once: as many as are folded at once.
    private static let threads = 2

    /// The digest of a replayed state.
    public init(of replay: Replay) {
        position = replay.position
        events = replay.events
        let types = ReadModels.models.filter { replay.models.contains($0.name) }
        models = WorkQueue.outcomes(of: types.count, on: Self.threads, named: "digest") { ModelDigest(of: replay, model: types[$0]) }
        var content: [UInt8] = []
        for digest in models {
            content.append(littleEndian: UInt32(digest.model.utf8.count))
            content.append(contentsOf: digest.model.utf8)
            content.append(contentsOf: digest.bytes)
        }
        bytes = Array(SHA256.hash(data: content))
    }

    /// 64 hexadecimal digits.
    public var hex: String { ModelDigest.hex(bytes) }
}
