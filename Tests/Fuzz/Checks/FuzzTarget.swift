/// A parser of bytes from outside or from a disk, with the properties that must hold for any input.
///
/// No input may make the parser trap. Accepted input of most formats must be written back identically, so that each value has one encoding,
/// and no signed or hashed bytes can be altered and still be accepted. Events and CSV have several encodings; their values must be the same
/// when written and read again. `Tools/fuzz` searches for inputs that violate these properties. Every such input that was ever found is in
/// `Fixtures/fuzz`, and every test run checks it.
enum FuzzTarget: String, CaseIterable {
    /// A stored record of the log.
    case record
    /// The content of a GreenTea record: tags and payload.
    case event
    /// A signed note, a checkpoint's text, a receipt, a tile's path and a verifier key, in the formats of C2SP.
    case note, checkpoint, receipt, tile, key
    /// A till's history in CSV.
    case csv
    /// A part of a log that was exported in either format.
    case transfer

    /// Checks one input.
    ///
    /// - Throws: the violated property.
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
