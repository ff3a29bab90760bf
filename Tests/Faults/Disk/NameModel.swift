/// What a file system does to names that were made or removed and not flushed.
package enum NameModel: String, Hashable, Sendable, CaseIterable {
    /// As ext4, XFS and Btrfs do: changes of names go through one journal, so that a cut leaves a first part of them. A file's own
    /// flush brings its name along, and whatever came before that.
    case journalled
    /// What POSIX promises and no more: each change stands for itself and is certain only once its folder was flushed.
    case posix
}
