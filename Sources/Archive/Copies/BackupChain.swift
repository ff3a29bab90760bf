public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import Merkle

/// A full backup and the increments that continue it, side by side in one folder.
///
/// Each increment names its parent's folder, last position and Merkle root, so a missing or foreign parent is always detected.
public struct BackupChain: Sendable {
    /// A class, so that chains with common links share them in memory.
    final class Link: Sendable {
        let path: String
        let through: UInt64
        let root: String
        let manifest: IncrementManifest?

        init(path: String, through: UInt64, root: String, manifest: IncrementManifest?) {
            (self.path, self.through, self.root, self.manifest) = (path, through, root, manifest)
        }

        var pictures: PictureFolder { PictureFolder(path: path + "/blobs") }
    }

    let links: [Link]

    public var paths: [String] { links.map(\.path) }
    /// The last position after a restore of the chain.
    public var events: UInt64 { end.through }

    var end: Link { links[links.count - 1] }

    /// Names of the pictures that a restore of the chain needs: the last increment's list, or, for older formats, the pictures of all
    /// links.
    var pictures: [String] {
        get throws(AuditError) {
            if let all = end.manifest?.allPictures { return all }
            var names = try presentPictures()
            // The verification and `lacksPictureList` report a damaged list.
            for link in links {
                names.formUnion(link.manifest?.pictures ?? (try? BackupPictures(in: link.path))?.sizes.keys.sorted() ?? [])
            }
            return names.sorted()
        }
    }

    /// Whether ``pictures`` may lack names: the full backup's list is damaged, and the last increment is of an older format without a full
    /// list.
    var lacksPictureList: Bool {
        guard end.manifest?.allPictures == nil else { return false }
        do throws(LinkFault) { _ = try BackupPictures(in: links[0].path) } catch { return true }
        return false
    }

    func presentPictures() throws(AuditError) -> Set<String> {
        var names: Set<String> = []
        for link in links { names.formUnion(try link.pictures.names) }
        return names
    }

    /// Finds the chain that ends with the backup at `path`. Reads only descriptions, sizes, and the full backup's last position and root.
    ///
    /// - Throws: ``AuditError/Code/missing`` or ``AuditError/Code/damaged``. The error names the faulty link, and the best backup in the
    ///   same folder that can still be restored.
    public init(to path: String) throws(AuditError) {
        let reader = ChainReader()
        do throws(LinkFault) { self = try reader.chain(to: path) } catch { throw reader.explained(error, beside: path) }
    }

    init(links: [Link]) { self.links = links }

    func extended(by child: Link) -> Result<Self, LinkFault> {
        if let manifest = child.manifest, manifest.after != end.through || manifest.afterRoot != end.root {
            let expected = "\(child.path) goes on from position \(manifest.after) with root \(manifest.afterRoot)"
            let found = "it ends at \(end.through) with root \(end.root)"
            return .failure(LinkFault(end.path, .unfit("is another backup: \(found), and \(expected)")))
        }
        return .success(Self(links: links + [child]))
    }

    /// - Parameter child: the increment whose parent this is, named by an error.
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
            // Without the newer head page, the log would look like another one, with fewer events.
            if let found = log.file.headFindings(comparing: false).first {
                throw LinkFault(path, .damaged("the log's file \(log.file.path) is damaged: \(found)"))
            }
            return Link(path: path, through: log.head.rawValue, root: try log.root(at: log.head.rawValue).hex, manifest: nil)
        } catch let fault as LinkFault { throw fault } catch { throw LinkFault(path, .damaged(AuditError(any: error).detail)) }
    }

    /// So that paths can be compared.
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
    /// Reads and checks every link: pages, records, and files against their digests and tree roots.
    ///
    /// The full backup's checkpoint is not checked.
    ///
    /// - Throws: like ``init(to:)``.
    public func verify(pictures: Bool = true) throws(AuditError) {
        let reader = ChainReader()
        do throws(LinkFault) { try reader.verify(self, pictures: pictures) } catch { throw reader.explained(error, beside: end.path) }
    }

    /// Returns its tree's edge, to which the next link's events are appended.
    static func wholeBase(_ link: Link, pictures: Bool) throws(LinkFault) -> TreeEdge {
        do {
            try AuditedFolder(link.path).requireWholeLog()
            if pictures { _ = try link.pictures.requireWhole(of: link.path) }
            let log = try LogFile(directory: link.path + "/log")
            defer { log.letGo() }
            return try TreeEdge(at: link.through, of: log)
        } catch let fault as LinkFault { throw fault } catch { throw LinkFault(link.path, .damaged(AuditError(any: error).detail)) }
    }

    static func requireWhole(_ link: Link, onto edge: inout TreeEdge, pictures: Bool = true) throws(LinkFault) {
        guard let manifest = link.manifest else { return }
        try requireFiles(of: link)
        for name in manifest.pictures where pictures && !link.pictures.isWhole(name) {
            throw LinkFault(link.path, .lacksPicture("its picture \(name) is missing or was changed; `restore` goes on without"))
        }
        do {
            try EventsFile(path: link.path + "/" + IncrementManifest.eventsName).check(onto: &edge)
        } catch { throw LinkFault(link.path, .damaged(AuditError(any: error).detail)) }
        guard edge.size == manifest.through, edge.root.hex == manifest.root else {
            throw LinkFault(link.path, .damaged("its events lead to position \(edge.size), or to another root than it says"))
        }
    }

    /// Compares an increment's files with the digests in its description.
    static func requireFiles(of link: Link) throws(LinkFault) {
        for (name, file) in link.manifest?.files.sorted(by: { $0.key < $1.key }) ?? [] {
            guard let found = IncrementManifest.File(at: link.path + "/" + name) else {
                throw LinkFault(link.path, .damaged("its file \(name) is missing or cannot be read"))
            }
            guard found == file else { throw LinkFault(link.path, .damaged("its file \(name) was changed or cut short")) }
        }
    }
}

/// An increment's events, in the binary format of an export.
struct EventsFile {
    let path: String

    /// Returns a function that reads the next bytes of the file.
    func reader() throws(AuditError) -> (Int) throws -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw AuditError(.input, "there is no file \(path), or it cannot be read.", remedy: "Put a good copy of it back.")
        }
        return { count in Array(try file.read(upToCount: count) ?? Data()) }
    }

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

    func append(to log: EventLog, through end: UInt64? = nil) throws(AuditError) {
        _ = try Import(into: log).run(through: end, read: try reader())
    }
}
