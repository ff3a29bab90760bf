/// A parser of bytes that come from outside or from a disk, and what must hold for whatever it is given.
///
/// No bytes may trap it, and what it accepts it must write again just so: then there is one way to write each thing, and nothing that
/// was signed, hashed or stored can be altered and still be read. `Tools/fuzz` looks for bytes that break this; whatever it has ever
/// found stands in `Fixtures/fuzz` and is tried in every run of the tests.
enum FuzzTarget: String, CaseIterable {
    /// A stored record of the log.
    case record
    /// What GreenTea says by a record: tags and payload.
    case event
    /// A signed note, a checkpoint's text, a receipt, the path of a tile, a verifier's key, as C2SP writes them.
    case note, checkpoint, receipt, tile, key
    /// A till's history.
    case csv
    /// An exported piece of a log, in either form.
    case transfer

    /// Tries bytes.
    ///
    /// - Throws: what they break.
    func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        switch self {
        case .record: try Self.checkRecord(bytes)
        case .event: try Self.checkEvent(bytes)
        case .note: try Self.checkNote(bytes)
        case .checkpoint: try Self.checkCheckpoint(bytes)
        case .receipt: try Self.checkReceipt(bytes)
        case .tile: try Self.checkTile(bytes)
        case .key: try Self.checkKey(bytes)
        case .csv: try Self.checkCSV(bytes)
        case .transfer: try Self.checkTransfer(bytes)
        }
    }
}
