public import Audit
internal import EventLog
internal import Foundation
internal import Merkle

/// A full backup and the increments that continue it, side by side in one folder.
///
/// Each increment names its parent by the parent's folder name, last position and Merkle root. So a parent that is missing or belongs to
/// another chain is always detected.
public struct BackupChain: Sendable {
    /// One backup of a chain. It is a class so that chains with common links share them in memory.
    final class Link: Sendable {
        let path: String
        /// The last position in the backup, and the Merkle tree's root at that position.
        let through: UInt64
        let root: String
        /// The increment's description; nil for the full backup.
        let manifest: IncrementManifest?

        init(path: String, through: UInt64, root: String, manifest: IncrementManifest?) {
            (self.path, self.through, self.root, self.manifest) = (path, through, root, manifest)
        }

        var pictures: PictureFolder { PictureFolder(path: path + "/blobs") }
    }

    /// The links, beginning with the full backup.
    let links: [Link]

    /// The folders of the chain's backups, beginning with the full backup.
    public var paths: [String] { links.map(\.path) }
    /// The last position of the log that results from a restore of the chain.
    public var events: UInt64 { end.through }

    var end: Link { links[links.count - 1] }

    /// Names of the pictures that a restore of the chain needs. The last increment's description lists those that existed when the
    /// increment was made, unless an older version of GreenTea made it. Without such a list, the result has the names of the pictures in
    /// the folders of all links, and the names in the lists of the links, even if a picture's file is missing.
    var pictures: [String] {
        get throws(AuditError) {
            if let all = end.manifest?.allPictures { return all }
            var names = try presentPictures()
            // This loop ignores a damaged list, which the verification and `lacksPictureList` report.
            for link in links {
                names.formUnion(link.manifest?.pictures ?? (try? BackupPictures(in: link.path))?.sizes.keys.sorted() ?? [])
            }
            return names.sorted()
        }
    }

    /// Whether ``pictures`` may lack names of missing pictures. That is so if the full backup's list of pictures is damaged, and the last
    /// increment does not list all pictures, because an older version of GreenTea made it.
    var lacksPictureList: Bool {
        guard end.manifest?.allPictures == nil else { return false }
        do throws(LinkFault) { _ = try BackupPictures(in: links[0].path) } catch { return true }
        return false
    }

    /// Names of the pictures in the folders of all links.
    func presentPictures() throws(AuditError) -> Set<String> {
        var names: Set<String> = []
        for link in links { names.formUnion(try link.pictures.names) }
        return names
    }

    /// Finds all backups of the chain that ends with the backup at `path`, by following each backup's parent. Reads only the descriptions
    /// of the increments and the sizes of their files, and the last position and root of the full backup.
    ///
    /// - Throws: ``AuditError/Code/missing`` or ``AuditError/Code/damaged``. The error names the faulty link, and the best backup in the
    ///   same folder that can still be restored, if there is one.
    public init(to path: String) throws(AuditError) {
        let reader = ChainReader()
        do throws(LinkFault) { self = try reader.chain(to: path) } catch { throw reader.explained(error, beside: path) }
    }

    init(links: [Link]) { self.links = links }

    /// Returns the chain with one more backup at its end. If that backup does not continue the chain's last link, the result is a fault
    /// that names the chain's last link.
    func extended(by child: Link) -> Result<Self, LinkFault> {
        if let manifest = child.manifest, manifest.after != end.through || manifest.afterRoot != end.root {
            let expected = "\(child.path) goes on from position \(manifest.after) with root \(manifest.afterRoot)"
            return .failure(LinkFault(end.path, .damaged("it ends at \(end.through) with root \(end.root), and \(expected)")))
        }
        return .success(Self(links: links + [child]))
    }

    /// Reads the description of one increment, or the last position and the root of one full backup.
    ///
    /// - Parameter child: the increment whose parent is this backup; nil if there is none. If this backup is missing, the error names the
    ///   increment.
    static func link(_ path: String, for child: Link?) throws(LinkFault) -> Link {
        if IncrementManifest.isThere(in: path) {
            let manifest = try IncrementManifest(in: path)
            try manifest.requireSizes(in: path)
            return Link(path: path, through: manifest.through, root: manifest.root, manifest: manifest)
        }
        guard FileManager.default.fileExists(atPath: path + "/log/data.mdb") else {
            let why =
                child.map { "\($0.path) goes on from it, at position \($0.manifest?.after ?? 0)" } ?? "there is no backup of that name"
            throw LinkFault(path, .missing(why))
        }
        do {
            let log = try LogFile(directory: path + "/log")
            defer { log.letGo() }
            // A full backup has no description that states its last position and its root, so both are read from its log.
            return Link(path: path, through: log.head.rawValue, root: try log.root(at: log.head.rawValue).hex, manifest: nil)
        } catch { throw LinkFault(path, .damaged(AuditError(any: error).detail)) }
    }

    /// Returns a path in the form in which paths are compared. The result has no doubled slash, no final slash and no segment `.`, unless
    /// it is `/` or `.` itself.
    static func plain(_ path: String) -> String {
        let names = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        if path.hasPrefix("/") { return "/" + names }
        return names.isEmpty ? "." : names
    }

    static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

    static func place(of path: String) -> String {
        let above = (path as NSString).deletingLastPathComponent
        return above.isEmpty ? "." : above
    }
}

extension BackupChain {
    /// Reads and checks every link. In the full backup, the log's pages are checked, and its records are compared with its Merkle tree. An
    /// increment's files are compared with the digests in its description, and the tree roots that are computed from its events with the
    /// roots that it states. The full backup's checkpoint is not checked.
    ///
    /// - Parameter pictures: whether the pictures are checked as well.
    /// - Throws: like ``init(to:)``.
    public func verify(pictures: Bool = true) throws(AuditError) {
        let reader = ChainReader()
        do throws(LinkFault) { try reader.verify(self, pictures: pictures) } catch { throw reader.explained(error, beside: end.path) }
    }

    /// Verifies the full backup of the chain.
    ///
    /// - Returns: the edge of the full backup's tree. The events of the chain's next link are appended to it.
    static func wholeBase(_ link: Link, pictures: Bool) throws(LinkFault) -> TreeEdge {
        do {
            try AuditedFolder(link.path).requireWholeLog()
            if pictures { _ = try link.pictures.requireWhole(of: link.path) }
            let log = try LogFile(directory: link.path + "/log")
            defer { log.letGo() }
            return try TreeEdge(at: link.through, of: log)
        } catch let fault as LinkFault { throw fault } catch { throw LinkFault(link.path, .damaged(AuditError(any: error).detail)) }
    }

    /// Compares an increment's files with its description, and the tree root after its events with the root in the description.
    static func requireWhole(_ link: Link, onto edge: inout TreeEdge, pictures: Bool = true) throws(LinkFault) {
        guard let manifest = link.manifest else { return }
        for (name, file) in manifest.files.sorted(by: { $0.key < $1.key }) {
            guard let found = IncrementManifest.File(at: link.path + "/" + name) else {
                throw LinkFault(link.path, .damaged("its file \(name) is missing or cannot be read"))
            }
            guard found == file else { throw LinkFault(link.path, .damaged("its file \(name) was changed or cut short")) }
        }
        for name in manifest.pictures where pictures && !link.pictures.isWhole(name) {
            throw LinkFault(link.path, .damaged("its picture \(name) is missing or was changed; `restore` goes on without"))
        }
        do {
            try EventsFile(path: link.path + "/" + IncrementManifest.eventsName).check(onto: &edge)
        } catch { throw LinkFault(link.path, .damaged(AuditError(any: error).detail)) }
        guard edge.size == manifest.through, edge.root.hex == manifest.root else {
            throw LinkFault(link.path, .damaged("its events lead to position \(edge.size), or to another root than it says"))
        }
    }
}

/// The file of an increment's events, in the binary format of an export.
struct EventsFile {
    let path: String

    /// Returns a function that reads the next bytes of the file.
    func reader() throws(AuditError) -> (Int) throws -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw AuditError(.input, "there is no file \(path), or it cannot be read.", remedy: "Put a good copy of it back.")
        }
        return { count in Array(try file.read(upToCount: count) ?? Data()) }
    }

    /// Reads every event of the file. After each batch of events, compares the root that the file states with the root that is computed
    /// from the events' bytes.
    ///
    /// - Throws: ``AuditError/Code/input``.
    func check(onto edge: inout TreeEdge) throws {
        var reader = try TransferReader(try self.reader())
        guard reader.head.after == edge.size else {
            throw reader.wrong("the events come after position \(reader.head.after), not \(edge.size)")
        }
        var hashes: [TreeEntry] = []
        while let batch = try reader.next() {
            for record in batch.records {
                hashes.removeAll(keepingCapacity: true)
                edge.append(record, completing: &hashes)
            }
            guard edge.root.hex == batch.root else { throw reader.wrong("the events up to \(edge.size) do not lead to this root") }
        }
        guard edge.size - reader.head.after == reader.head.count else { throw reader.wrong("not \(reader.head.count) events") }
    }

    /// Appends the file's events to a log, at most up to a position. The log MUST end just before the file's first event.
    func append(to log: EventLog, through end: UInt64? = nil) throws(AuditError) {
        _ = try Import(into: log).run(through: end, read: try reader())
    }
}
