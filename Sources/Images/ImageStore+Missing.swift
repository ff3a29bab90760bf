internal import Crypto
internal import Foundation
public import Loyalty
internal import Synchronization

extension ImageStore {
    /// Finds pictures whose files are missing or do not match their digests. Reads each file and blocks.
    ///
    /// Folders are listed anew, so that a file that was put back is served again.
    ///
    /// - Throws: `CancellationError` when `isStopping`, called before each picture, returns true.
    public func missing(_ images: Set<ImageID>, unless isStopping: () -> Bool = { false }) throws -> Set<ImageID> {
        var listed: Set<Substring> = []
        var missing: Set<ImageID> = []
        for image in images {
            if isStopping() { throw CancellationError() }
            let shard = image.value.hexadecimal.prefix(2)
            if listed.insert(shard).inserted { known.withLock { $0.forget(blobs + "/" + shard) } }
            if !isWhole(image) { missing.insert(image) }
        }
        // A picture may have been sent again meanwhile.
        let damaged = missing.filter { !isWhole($0) }
        self.damaged.withLock { $0 = damaged }
        return missing
    }

    private func isWhole(_ image: ImageID) -> Bool {
        guard let name = name(of: image), let bytes = FileManager.default.contents(atPath: path(name)) else { return false }
        return Array(SHA256.hash(data: bytes)) == name.digest
    }
}
