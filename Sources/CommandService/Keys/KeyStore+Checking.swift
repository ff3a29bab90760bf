internal import LMDB
public import LoyaltyCodec

extension KeyStore {
    /// Whether a master secret is that of a folder's keys, before anything is opened for writing; beside a running service too.
    ///
    /// - Throws: `KeyStoreError.wrongMasterSecret`, or the storage's `LMDBError`.
    public static func check(_ master: MasterSecret, in directory: String) throws {
        _ = try known(in: try KeyFile(directory: directory, access: .readOnly), master)
    }
}
