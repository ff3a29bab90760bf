internal import Audit
internal import EventLog
internal import Foundation
internal import Merkle

/// Reads and verifies the backups of chains. An undamaged backup is read only once, even if it belongs to several chains.
///
/// In a folder with many increments, an earlier link belongs to the chains of all later increments. Reading every chain from its beginning
/// would take time in proportion to the square of the number of increments. The folder MUST NOT change while the reader is used.
final class ChainReader {
    /// The number of links that were read from the disk.
    private(set) var readCount = 0
    private var links: [String: BackupChain.Link] = [:]
    private var chains: [String: Result<BackupChain, LinkFault>] = [:]
    /// The edge of the Merkle tree after the last event of each verified backup, by the backup's path.
    private var edges: [String: Result<TreeEdge, LinkFault>] = [:]
    /// The results of ``requireParts(of:)``, by the backup's path; nil for a whole backup.
    private var parts: [String: LinkFault?] = [:]
    /// For the path of each faulty backup, the chain without that backup that restores to the highest position; nil if there is no such
    /// chain.
    private var remainders: [String: BackupChain?] = [:]

    /// Finds all backups of the chain that ends with the backup at `path`, by following each backup's parent. Reads only the descriptions
    /// of the increments, and the last position and root of the full backup.
    func chain(to path: String) throws(LinkFault) -> BackupChain {
        var children: [BackupChain.Link] = []
        var seen: Set<String> = []
        var next = BackupChain.plain(path)
        var chain = chains[next]
        while chain == nil {
            do throws(LinkFault) {
                guard seen.insert(next).inserted else {
                    throw LinkFault(children.last?.path ?? next, .damaged("its parents lead back to it"))
                }
                let link = try link(next, for: children.last)
                if let manifest = link.manifest {
                    children.append(link)
                    next = BackupChain.plain(BackupChain.place(of: next) + "/" + manifest.parent)
                    chain = chains[next]
                } else {
                    chain = .success(BackupChain(links: [link]))
                    chains[next] = chain
                }
            } catch { chain = .failure(error) }
        }
        for child in children.reversed() {
            chain = chain?.flatMap { $0.extended(by: child) }
            chains[child.path] = chain
        }
        guard let chain else { throw LinkFault(path, .missing("there is no backup of that name")) }
        return try chain.get()
    }

    /// Returns the description of one backup, which is read from the disk at the first call.
    ///
    /// - Parameter child: the increment whose parent is this backup; nil if there is none. If this backup is missing, the error names the
    ///   increment.
    func link(_ path: String, for child: BackupChain.Link? = nil) throws(LinkFault) -> BackupChain.Link {
        if let known = links[path] { return known }
        readCount += 1
        let link = try BackupChain.link(path, for: child)
        links[path] = link
        return link
    }

    /// Reads and checks every link of a chain, like ``BackupChain/verify(pictures:)``, except links that were verified before.
    ///
    /// - Parameter pictures: whether the pictures are checked as well.
    func verify(_ chain: BackupChain, pictures: Bool = true) throws(LinkFault) {
        var edge = TreeEdge()
        for (number, link) in chain.links.enumerated() {
            if let known = edges[link.path] {
                edge = try known.get()
                continue
            }
            do throws(LinkFault) {
                if number == 0 {
                    edge = try BackupChain.wholeBase(link, pictures: pictures)
                } else {
                    try BackupChain.requireWhole(link, onto: &edge, pictures: pictures)
                }
                edges[link.path] = .success(edge)
            } catch {
                edges[link.path] = .failure(error)
                throw error
            }
        }
    }

    /// Checks what a restore of the chain needs, without reading events and pictures; see ``BackupChain/requireParts(of:)``.
    func requireParts(of chain: BackupChain) throws(LinkFault) {
        for link in chain.links {
            if parts[link.path] == nil {
                do throws(LinkFault) {
                    try BackupChain.requireParts(of: link)
                    parts[link.path] = .some(nil)
                } catch { parts[link.path] = error }
            }
            if let fault = parts[link.path] ?? nil { throw fault }
        }
    }

    /// Converts the fault of one backup into an error. The error names the backup in the same folder that restores to the highest position
    /// without the faulty backup, or says that there is none.
    func explained(_ fault: LinkFault, beside path: String) -> AuditError {
        let rest = remainder(in: BackupChain.place(of: BackupChain.plain(path)), without: fault.path)
        let still = rest.map { "Without it, \($0.end.path) still restores to position \($0.events)." }
        let nothing = "No other backup beside it can be restored; look for a copy elsewhere."
        return AuditError(fault.code, fault.text + ".", remedy: "Put a good copy of it back. " + (still ?? nothing))
    }

    private func remainder(in place: String, without path: String) -> BackupChain? {
        if let known = remainders[path] { return known }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let chains = names.sorted().filter { !$0.hasSuffix(".partial") }.compactMap { try? chain(to: place + "/" + $0) }
        let best = chains.filter { chain in !chain.links.contains { $0.path == path } }.max { $0.events < $1.events }
        remainders[path] = .some(best)
        return best
    }
}
