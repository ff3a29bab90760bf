/// The behaviour of a file system for names that were created or removed but not flushed.
package enum NameModel: String, Hashable, Sendable, CaseIterable {
    /// The behaviour of ext4, XFS and Btrfs: one journal holds all changes of names in order. So after a power cut the disk has all changes
    /// up to some point, and none after it. Flushing a file also makes its name durable, together with all earlier changes of names.
    case journalled
    /// The behaviour that POSIX guarantees, and no more: each change of a name is independent, and durable only once its folder was
    /// flushed.
    case posix
}
