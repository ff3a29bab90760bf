/// Why the key store cannot be used.
public enum KeyStoreError: Error, CustomStringConvertible, Sendable {
    /// The data folder was made with another master secret.
    case wrongMasterSecret
    /// The account's key is gone, or never was.
    case noKey
    /// The store's file could not be opened again after it was scrubbed.
    case closed

    public var description: String {
        switch self {
        case .wrongMasterSecret:
            "wrong master secret: this data folder was made with another one. Start with the secret that belongs to it; without it, "
                + "codes, phone numbers and sealed fields of this folder cannot be read."
        case .closed: "the key store's file could not be opened again after keys were destroyed in it. Restart the service."
        case .noKey: "no data key for this account: it was erased or never made."
        }
    }
}
