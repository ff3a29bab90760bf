internal import LMDB
package import Loyalty

/// The stretches in which an account had muted a shop, 16 bytes each: the position of the muting and that of its end, u64 little-endian,
/// all ones as long as it lasts. Oldest first.
package enum MuteRow {
    package static func encode(_ stretches: MutedStretches, into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        for stretch in stretches.stretches {
            row.append(littleEndian: stretch.after)
            row.append(littleEndian: stretch.before)
        }
    }

    /// - Returns: nil for bytes that no encoding gives.
    package static func decode(_ row: Span<UInt8>) -> MutedStretches? {
        guard row.count > 0, row.count % 16 == 0 else { return nil }
        var stretches: [MutedStretches.Stretch] = []
        for start in stride(from: 0, to: row.count, by: 16) {
            let stretch = MutedStretches.Stretch(after: row.littleEndian64(at: start), before: row.littleEndian64(at: start + 8))
            guard stretch.after < stretch.before, stretches.last.map({ $0.before < stretch.after }) ?? true else { return nil }
            stretches.append(stretch)
        }
        return MutedStretches(stretches)
    }

    /// For tools that show a row to people.
    static func text(_ row: Span<UInt8>) -> String? {
        guard let stretches = decode(row) else { return nil }
        let parts = stretches.stretches.map { "\($0.after) to \($0.before == .max ? "now" : String($0.before))" }
        return "muted from position " + parts.joined(separator: ", ")
    }
}
