import Merkle

extension FuzzTarget {
    static func checkNote(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let note = try? SignedNote(bytes) else { return }
        try BrokenProperty.unless(note.bytes, is: bytes, "the note written again")
        let again = try? SignedNote(text: note.text.string, signatures: note.signatures)
        try BrokenProperty.unless(again, is: note, "the note from its parts")
    }

    static func checkCheckpoint(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let text = String(validating: bytes, as: UTF8.self), let checkpoint = try? Checkpoint(text: text) else { return }
        // Compares bytes instead of strings, because string comparison treats two spellings of one letter as equal.
        try BrokenProperty.unless(Array(checkpoint.text.utf8), is: bytes, "the checkpoint written again")
        try BrokenProperty.unless(try? Checkpoint(text: checkpoint.text), is: checkpoint, "the checkpoint read again")
    }

    static func checkReceipt(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let receipt = try? Receipt(bytes) else { return }
        try BrokenProperty.unless(receipt.bytes, is: bytes, "the receipt written again")
        try BrokenProperty.unless(try? Receipt(receipt.bytes), is: receipt, "the receipt read again")
    }

    static func checkTile(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let path = String(validating: bytes, as: UTF8.self), let tile = try? Tile(path: path) else { return }
        try BrokenProperty.unless(Array(tile.path.utf8), is: bytes, "the path written again")
        try BrokenProperty.unless(try? Tile(path: tile.path), is: tile, "the path read again")
    }

    static func checkKey(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let text = String(validating: bytes, as: UTF8.self), let key = try? VerifierKey(text) else { return }
        try BrokenProperty.unless(try? VerifierKey(key.text), is: key, "the key read again")
        try BrokenProperty.unless(Array(key.text.utf8), is: bytes, "the key written again")
    }
}
