import LMDB
public import LoyaltyCodec

extension DataFolder {
    /// Makes the folder for its owner only, and those above it, where there are none; what was made survives the loss of power.
    ///
    /// - Throws: the storage's `LMDBError`.
    public func make() throws { try DurableNames.makeFolder(path, mode: 0o700, above: 0o755) }
}
