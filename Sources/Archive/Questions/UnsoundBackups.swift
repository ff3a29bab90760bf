internal import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec

extension BackupList {
    /// The copies that are damaged, or that need a damaged or missing copy.
    public var unsound: [Copy] { copies.filter { $0.fault != nil } }

    /// The copies with which the log begins, or all whole ones without a log to compare with.
    var good: [Copy] { copies.filter(\.isGood) }
}

extension BackupList.Copy {
    var isGood: Bool { if case .good = standing { true } else { false } }

    public var fault: String? {
        switch standing {
        case .damaged(let why), .broken(let why): why
        case .good, .ahead, .foreign, .unreadable: nil
        }
    }
}

extension BackupChain {
    /// Checks a link without reading its events and pictures: the log's pages if they are few, and the files' sizes. The pictures come
    /// last, so a link with ``LinkFault/Reason/lacksPicture(_:)`` has no other fault.
    static func requireParts(of link: Link) throws(LinkFault) {
        let pictures = link.pictures
        if let manifest = link.manifest {
            for name in manifest.pictures where pictures.size(of: name) ?? 0 == 0 { throw gone(name, from: link) }
        } else {
            do { try AuditedFolder(link.path).requireWholePages(.ifQuick) } catch { throw LinkFault(link.path, .damaged(error.detail)) }
            let sizes = try BackupPictures(in: link.path)?.sizes ?? [:]
            for (name, size) in sizes.sorted(by: { $0.key < $1.key }) where pictures.size(of: name) != size { throw gone(name, from: link) }
        }
    }

    private static func gone(_ name: String, from link: Link) -> LinkFault {
        LinkFault(link.path, .lacksPicture("its picture \(name) is gone or was cut short; `restore` goes on without"))
    }

    /// A restore puts its checkpoint in place.
    var signed: Link? { links.last { FileManager.default.fileExists(atPath: DataFolder($0.path).checkpoint) } }

    /// Requires that the checkpoint that a restore puts in place fits the log. An increment's is compared with its digest instead.
    func requireCheckpoint() throws(LinkFault) {
        guard let link = signed, link.manifest == nil else { return }
        do {
            let check = try CheckpointCheck(folder: AuditedFolder(link.path), file: nil, key: nil)
            let log = try LogFile(directory: link.path + "/log")
            defer { log.letGo() }
            guard case .broken(let finding) = check.outcome(of: log) else { return }
            throw LinkFault(link.path, .unfit("has a checkpoint for which `restore` refuses: \(finding.what) \(finding.remedy)"))
        } catch let fault as LinkFault { throw fault } catch { throw LinkFault(link.path, .damaged(AuditError(any: error).detail)) }
    }
}
