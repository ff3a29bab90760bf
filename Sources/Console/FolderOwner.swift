import Foundation

/// The user that a data folder belongs to, for programs that root runs: what root makes in there, the service could not open afterwards.
public struct FolderOwner: Sendable {
    /// The folder's owner.
    public let user: UInt32
    /// The folder's group.
    public let group: UInt32

    /// The owner of a folder, where root runs this program and the folder is another user's; nil otherwise.
    public init?(foreignTo path: String) {
        guard geteuid() == 0,
            let attributes = try? FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path),
            let user = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value, user != 0,
            let group = (attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value
        else { return nil }
        (self.user, self.group) = (user, group)
    }

    /// Gives up root's rights for those of the folder's owner, for good. Read what only root may read before.
    ///
    /// - Returns: whether the process acts as the owner now.
    public func become() -> Bool {
        // The groups first: once it is not root any more, a process may not change them.
        guard setgroups(0, nil) == 0, setgid(group) == 0, setuid(user) == 0 else { return false }
        return geteuid() == user
    }

    /// The command line that runs a command as the folder's owner, whether or not that user has a name on this machine.
    public func command(_ rest: String) -> String { "setpriv --reuid=\(user) --regid=\(group) --clear-groups \(rest)" }

    /// Acts as the owner of a folder, if root runs this and the folder is another user's; otherwise does nothing.
    ///
    /// - Throws: a `CocoaError` where the system does not allow it.
    public static func become(of path: String) throws {
        guard let owner = FolderOwner(foreignTo: path) else { return }
        guard owner.become() else { throw CocoaError(.fileWriteNoPermission) }
    }
}
