internal import Audit
internal import EventLog
internal import Foundation
internal import Merkle

/// Reads and verifies backups of chains, each link only once.
///
/// Without this cache, reading all chains of a folder would take quadratic time. The folder MUST NOT change while the reader is used.
final class ChainReader {
    private(set) var readCount = 0
    private var links: [String: BackupChain.Link] = [:]
    private var chains: [String: Result<BackupChain, LinkFault>] = [:]
    private var edges: [String: Result<TreeEdge, LinkFault>] = [:]
    private var parts: [String: LinkFault?] = [:]
    /// For each faulty backup, the chain that restores to the highest position in spite of the fault.
    private var remainders: [String: BackupChain?] = [:]

    /// Reads only descriptions, and the full backup's last position and root.
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

    func link(_ path: String, for child: BackupChain.Link? = nil) throws(LinkFault) -> BackupChain.Link {
        if let known = links[path] { return known }
        readCount += 1
        let link = try BackupChain.link(path, for: child)
        links[path] = link
        return link
    }

    /// Skips links that were verified before; like ``BackupChain/verify(pictures:)``.
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

    /// Checks each link without reading events and pictures; see ``BackupChain/requireParts(of:)``. Of the checkpoints, only the one that a
    /// restore of this chain uses counts.
    ///
    /// - Parameter pictures: whether a missing picture is an error; a restore gives the events without it.
    /// - Returns: the first fault of pictures, if they may be missing.
    @discardableResult
    func requireParts(of chain: BackupChain, pictures: Bool = true) throws(LinkFault) -> LinkFault? {
        var lacking: LinkFault?
        for link in chain.links {
            if parts[link.path] == nil {
                do throws(LinkFault) {
                    try BackupChain.requireParts(of: link)
                    parts[link.path] = .some(nil)
                } catch { parts[link.path] = error }
            }
            guard let fault = parts[link.path] ?? nil else { continue }
            guard fault.concernsPicturesOnly else { throw fault }
            lacking = lacking ?? fault
        }
        try chain.requireCheckpoint()
        if pictures, let lacking { throw lacking }
        return lacking
    }

    /// True for a full backup.
    func hasWholeFiles(_ path: String) -> Bool { (try? requireFiles(ofEnd: chain(to: path))) != nil }

    /// Compares the files of a chain's last increment with their digests. From then on, a fault counts as one of its parts.
    func requireFiles(ofEnd chain: BackupChain) throws(LinkFault) {
        do throws(LinkFault) { try BackupChain.requireFiles(of: chain.end) } catch {
            (parts[chain.end.path], remainders) = (error, [:])
            throw error
        }
    }

    /// Names the backup to restore instead, if there is one.
    func explained(_ fault: LinkFault, beside path: String) -> AuditError {
        if fault.concernsPicturesOnly {
            return AuditError(fault.code, fault.sentence, remedy: "Put a good copy of it back. Its events can be restored without.")
        }
        let rest = remainder(in: BackupChain.place(of: BackupChain.plain(path)), beside: fault)
        let still = rest.map { rest in
            let needsIt = rest.paths.contains(fault.path)
            return "\(needsIt ? "As it is" : "Without it"), \(rest.end.path) still restores to position \(rest.events)."
        }
        let nothing = "No other backup beside it can be restored; look for a copy elsewhere."
        return AuditError(fault.code, fault.sentence, remedy: "Put a good copy of it back. " + (still ?? nothing))
    }

    func text(of fault: LinkFault, beside path: String) -> String {
        let error = explained(fault, beside: path)
        return error.detail + " " + error.remedy
    }

    /// The best chain that a restore takes in spite of the fault. A fault of one chain alone leaves others with the same link.
    private func remainder(in place: String, beside fault: LinkFault) -> BackupChain? {
        if let known = remainders[fault.path] { return known }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let chains = names.sorted().filter { !$0.hasSuffix(".partial") }.compactMap { try? chain(to: place + "/" + $0) }
        let best = chains.filter { isWhole($0, beside: fault) }.max { $0.events < $1.events }
        remainders[fault.path] = .some(best)
        return best
    }

    private func isWhole(_ chain: BackupChain, beside fault: LinkFault) -> Bool {
        guard fault.isOfOneChain || !chain.paths.contains(fault.path) else { return false }
        let isDamaged = chain.paths.contains { if case .failure(let known) = edges[$0] { !known.concernsPicturesOnly } else { false } }
        // No `try?`: the check returns nil if every picture is there, and that would look like an error.
        do throws(LinkFault) { try requireParts(of: chain, pictures: false) } catch { return false }
        return !isDamaged
    }
}
