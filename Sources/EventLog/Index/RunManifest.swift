internal import LMDB

/// Which runs make up the index, the oldest first: a view of the stored value.
///
/// It is read with every look-up, in the same snapshot as the runs, so that no reader can meet a run that is gone.
struct RunManifest: ~Escapable {
    private let bytes: Span<UInt8>
    /// How many runs there are.
    let count: Int

    /// Nil when the value cannot be a manifest.
    @_lifetime(copy bytes)
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count % IndexLayout.runBytes == 0 else { return nil }
        self.bytes = bytes
        count = bytes.count / IndexLayout.runBytes
    }

    /// That of an index without runs.
    static var empty: RunManifest {
        @_lifetime(immortal) get { RunManifest(Span())! }
    }

    /// One of the runs; traps unless `index` is below ``count``.
    @inline(__always)
    func run(_ index: Int) -> Run { Run(bytes, at: index * IndexLayout.runBytes) }

    /// All runs.
    var runs: [Run] { (0..<count).map { run($0) } }

    static func bytes(of runs: [Run]) -> [UInt8] {
        var bytes: [UInt8] = []
        for run in runs { run.append(to: &bytes) }
        return bytes
    }
}
