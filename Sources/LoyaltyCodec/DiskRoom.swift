/// The free room on a data folder's disk, judged alike by `/readyz` and `greentea-audit doctor`.
package enum DiskRoom: Sendable {
    case enough
    case low
    case full

    /// A commit needs some pages, and a new run of the tag index needs more.
    package static let fullBytes: Int64 = 1 << 20
    /// On a small disk, ``lowPercent`` would be too few bytes.
    package static let lowBytes: Int64 = 16 << 20
    package static let lowPercent: Int64 = 5

    /// - Parameters:
    ///   - free: bytes that this user may still use.
    ///   - size: bytes of the whole disk.
    package init(free: Int64, of size: Int64) {
        if free < Self.fullBytes {
            self = .full
        } else {
            self = free < Self.lowBytes || free * 100 < size * Self.lowPercent ? .low : .enough
        }
    }
}
