/// The free room on a data folder's disk, judged in the same way by `/readyz` and `greentea-audit doctor`.
package enum DiskRoom: Sendable {
    /// There is enough free room.
    case enough
    /// Fewer bytes are free than ``lowBytes``, or than ``lowPercent`` of the disk.
    case low
    /// Nothing more can be stored.
    case full

    /// Free bytes below which nothing more can be stored. A commit needs some pages, and a new run of the tag index needs more.
    package static let fullBytes: Int64 = 1 << 20
    /// Free bytes below which the room is low on a disk of any size. On a small disk, ``lowPercent`` of the disk would be too few bytes.
    package static let lowBytes: Int64 = 16 << 20
    /// The percentage of the disk below which the free room is low.
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
