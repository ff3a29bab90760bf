import Foundation

/// The owner of a data folder, for programs that root runs: the service could not open files that root creates there.
public struct FolderOwner: Sendable {
    /// The folder's owner.
    public let user: UInt32
    /// The folder's group.
    public let group: UInt32

    /// The owner of a folder; nil unless root runs this program and the folder belongs to another user.
    public init?(foreignTo path: String) {
        guard geteuid() == 0,
            let attributes = try? FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path),
            let user = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value, user != 0,
            let group = (attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value
        else { return nil }
        (self.user, self.group) = (user, group)
    }

    /// Permanently exchanges root's rights for those of the folder's owner. Read files that only root may read before this call.
    ///
    /// - Returns: whether the process now acts as the owner.
    public func become() -> Bool {
        // Change the groups first, because only root may change them.
        guard setgroups(0, nil) == 0, setgid(group) == 0, setuid(user) == 0 else { return false }
        return geteuid() == user
    }

    /// A command line that runs a command as the folder's owner, even if that user has no name on this machine.
    public func command(_ rest: String) -> String { "setpriv --reuid=\(user) --regid=\(group) --clear-groups \(rest)" }

    /// Acts as the owner of a folder if root runs this program and the folder belongs to another user; otherwise does nothing.
    ///
    /// - Throws: a `CocoaError` if the system does not permit it.
    public static func become(of path: String) throws {
        guard let owner = FolderOwner(foreignTo: path) else { return }
        guard owner.become() else { throw CocoaError(.fileWriteNoPermission) }
    }
}
