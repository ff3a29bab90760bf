import Foundation

/// The owner of a data folder, as whom a program that root runs does its work, because the service could not open root's files.
public struct FolderOwner: Sendable {
    public let user: UInt32
    public let group: UInt32

    public init?(foreignTo path: String) {
        guard geteuid() == 0,
            let attributes = try? FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path),
            let user = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value, user != 0,
            let group = (attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value
        else { return nil }
        (self.user, self.group) = (user, group)
    }

    /// Returns whether it succeeded. Read files that only root may read before.
    public func become() -> Bool {
        // First the groups, because only root may change them.
        guard setgroups(0, nil) == 0, setgid(group) == 0, setuid(user) == 0 else { return false }
        return geteuid() == user
    }

    /// A command line that runs a command as the owner, even one without a name on this machine.
    public func command(_ rest: String) -> String { "setpriv --reuid=\(user) --regid=\(group) --clear-groups \(rest)" }

    /// Acts as the owner of a folder if root runs this program and the folder belongs to another user.
    ///
    /// - Parameter places: other files and folders that the program writes; nil and `-` are ignored.
    /// - Throws: ``OwnerRefusal``, with nothing written.
    public static func become(of path: String, writing places: [String?] = []) throws(OwnerRefusal) {
        guard let owner = FolderOwner(foreignTo: path) else { return }
        let real = URL(filePath: path).resolvingSymlinksInPath().path
        guard owner.become() else {
            throw OwnerRefusal(
                detail: "the system does not let root act as user \(owner.user), who owns \(path).",
                remedy: "Run: \(owner.command("… as before"))")
        }
        // `real` was computed as root, because only root can resolve links through a closed folder.
        if let closed = closedFolder(above: real + "/log") {
            throw OwnerRefusal(
                detail: "user \(owner.user), who owns \(path), cannot enter \(closed) and so not reach it.",
                remedy: "Give the unit a user that stays, User=greentea in place of DynamicUser=yes, as the runbook says under 'The units "
                    + "by hand'; or let that user enter \(closed).")
        }
        for case let place? in places where place != "-" && !canWrite(place) {
            let closed = closedFolder(above: place)
            let act = closed.map { "enter \($0)" } ?? "write \(place)"
            let outside = closed.map { "outside of \($0), " } ?? ""
            throw OwnerRefusal(
                detail: "user \(owner.user) cannot \(act): root acts as the owner of \(path), whose files it would otherwise lock.",
                remedy: "Name a place \(outside)in a folder of that user's: install -d -o \(owner.user) -g \(owner.group) -m 700 DIR.")
        }
    }

    private static func closedFolder(above path: String) -> String? {
        var folders: [URL] = []
        var url = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent()
        while url.path != "/" {
            folders.append(url)
            url.deleteLastPathComponent()
        }
        let files = FileManager.default
        return folders.reversed().map(\.path).first { files.fileExists(atPath: $0) && !files.isExecutableFile(atPath: $0) }
    }

    private static func canWrite(_ path: String) -> Bool {
        var url = URL(fileURLWithPath: path).standardizedFileURL
        while !FileManager.default.fileExists(atPath: url.path), url.path != "/" { url.deleteLastPathComponent() }
        return FileManager.default.isWritableFile(atPath: url.path)
    }
}

/// The reason why root's program cannot act as the owner.
public struct OwnerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let detail: String
    public let remedy: String

    public var description: String { "\(detail) \(remedy)" }
}
