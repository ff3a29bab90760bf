import LMDB

@testable import Archive
@testable import Audit

extension FuzzTarget {
    /// The content that was read from a file before its end or its first error.
    private struct Content: Equatable {
        var head: TransferHead?
        var batches: [[[UInt8]]] = []
        var roots: [String] = []
        var isWhole = false
    }

    /// Checks that the result does not depend on the borders between reads, and that a whole binary file is written back identically.
    static func checkTransfer(_ bytes: [UInt8]) throws(BrokenProperty) {
        let content = content(bytes, pieceBytes: bytes.count)
        for pieceBytes in [1, 7] {
            try BrokenProperty.unless(self.content(bytes, pieceBytes: pieceBytes), is: content, "read \(pieceBytes) bytes at a time")
        }
        guard content.isWhole, bytes.starts(with: TransferFormat.magic) else { return }
        let again = written(content)
        try BrokenProperty.unless(Array(bytes.prefix(again.count)), is: again, "the file written again")
    }

    private static func content(_ bytes: [UInt8], pieceBytes: Int) -> Content {
        var content = Content()
        var source = PieceByPiece(bytes, pieceBytes: pieceBytes)
        do {
            var reader = try TransferReader { source.next(atMost: $0) }
            content.head = reader.head
            while let batch = try reader.next() {
                content.batches.append(batch.records)
                content.roots.append(batch.root)
            }
            content.isWhole = true
        } catch {}
        return content
    }

    /// Encodes the content according to the format's description, without the code that normally writes it.
    private static func written(_ content: Content) -> [UInt8] {
        guard let head = content.head else { return [] }
        var bytes = Array("GreenTea events\n".utf8)
        bytes.append(littleEndian: UInt16(1))
        bytes.append(littleEndian: UInt16(head.origin.utf8.count))
        bytes += head.origin.utf8
        bytes.append(littleEndian: head.after)
        bytes.append(littleEndian: head.count)
        for (records, root) in zip(content.batches, content.roots) {
            bytes.append(littleEndian: UInt32(records.count))
            for record in records {
                bytes.append(littleEndian: UInt16(record.count))
                bytes += record
            }
            bytes += Hex.bytes(root)
        }
        return bytes + [0, 0, 0, 0]
    }
}
