/// Why the key store cannot be used.
public enum KeyStoreError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The data folder was made with another master secret.
    case wrongMasterSecret
    /// There is a log, and no keys beside it.
    case missing(path: String)
    /// The account's key is gone, or never was.
    case noKey

    public var description: String {
        switch self {
        case .wrongMasterSecret:
            "wrong master secret: this data folder was made with another one. Start with the secret that belongs to it; without it, "
                + "codes, phone numbers and sealed fields of this folder cannot be read."
        case .missing(let path):
            "there is a log, and no keys in \(path): everything personal in it would read as erased, and every phone register anew. Put "
                + "the keys of this log back (`greentea-audit restore --keys`, or a copy of that folder), with the master key that belongs "
                + "to them. To go on without them for good, start with --accept-older-log."
        case .noKey: "no data key for this account: it was erased or never made."
        }
    }
}
