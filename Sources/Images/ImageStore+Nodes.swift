internal import Crypto
internal import Foundation
package import Loyalty

/// The exchange of pictures between nodes, as the stored files.
extension ImageStore {
    /// A picture's file, which takes up to 17 MiB of memory; nil if it is missing, damaged or too large. Blocks.
    ///
    /// `hasSender` is false for a file of an older version, whose name has another form.
    package func file(of id: ImageID) -> (bytes: [UInt8], hasSender: Bool)? {
        guard let name = name(of: id), let bytes = FileManager.default.contents(atPath: path(name)).map(Array.init),
            bytes.count <= ImageLimits.keptBytesMax, Array(SHA256.hash(data: bytes)) == name.digest
        else { return nil }
        return (bytes, name.hasSender)
    }

    /// Stores another node's file durably, and does not decode it. Blocks.
    ///
    /// - Parameter now: the picture counts as unused from this time.
    /// - Returns: false for bytes that no node has stored under this id.
    /// - Throws: ``ImageError``.
    package func adopt(_ bytes: [UInt8], as id: ImageID, hasSender: Bool, at now: Instant) throws(ImageError) -> Bool {
        guard bytes.count <= ImageLimits.keptBytesMax else { return false }
        let digest = Array(SHA256.hash(data: bytes))
        guard hasSender || ImageID(digest: digest) == id else { return false }
        try store(bytes, as: hasSender ? ImageName(id: id, digest: digest) : ImageName(older: digest), at: now)
        return true
    }
}
