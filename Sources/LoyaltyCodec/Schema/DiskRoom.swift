/// The free room on a data folder's disk, judged in the same way by `/readyz` and `greentea-audit doctor`.
package enum DiskRoom: Sendable {
    /// There is room.
    case enough
    /// Less is free than ``lowBytes``, or than ``lowPercent`` of the disk.
    case low
    /// Nothing more can be stored.
    case full

    /// Free bytes below which nothing more can be stored. A commit needs some pages, and a new run of the tag index needs more.
    package static let fullBytes: Int64 = 1 << 20
    /// Free bytes below which the room is low on a disk of any size. On a small disk ``lowPercent`` alone would be too little.
    package static let lowBytes: Int64 = 16 << 20
    /// Percent of the disk that should be free.
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
