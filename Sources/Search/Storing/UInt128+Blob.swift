internal import Foundation

extension UInt128 {
    /// The bytes of an id, most significant first.
    var blob: Data {
        Data((0..<16).map { UInt8(truncatingIfNeeded: self >> UInt128(120 - 8 * $0)) })
    }

    init(blob: Data) {
        self = blob.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
