/// The behaviour of a file system for names that were created or removed but not flushed.
package enum NameModel: String, Hashable, Sendable, CaseIterable {
    /// The behaviour of ext4, XFS and Btrfs: changes of names go through one journal, so a cut leaves a prefix of them. Flushing a file
    /// also makes its name durable, and all changes before it.
    case journalled
    /// Only what POSIX guarantees: each change is independent, and durable only once its folder was flushed.
    case posix
}
