import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import LoyaltyCodec

/// `greentea-audit backups`: answers "which backups can be restored, and would a copy of keys undo an erasure?"
struct BackupsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backups", abstract: "What can be restored, and does a copy of keys undo an erasure?",
        discussion: """
            A line for each backup in a folder: full or increment, with the parent and the positions of an increment, the position and \
            the time that it restores to, its size, and how many events of the log it lacks. A backup that is of another log, that has \
            events which the log has lost, that is damaged, or of whose chain a link is missing is named as such; `unreadable` says only \
            that this user may not look into it. Then a line for each \
            copy of the keys, with the erased accounts whose key it still has: throw such a copy away. What a backup that was killed has \
            left of the keys is named, too, and the copies of a drill that was killed in the same folder, which the next drill removes.

            `moments` are the oldest and the newest event that the backups of one chain, a full one and what goes on from it, restore \
            to, and their number; --json has each. The end of every backup is one.

            Without --data, and where that folder is gone or damaged, the backups are looked at by themselves: then nobody knows \
            which events they lack, whether they are of one log, and whose erasure a copy of the keys undoes. What may go is only \
            told beside an intact log.

            With --verify, a picture that a backup was made with and that is gone from it is named, too. A full backup by an older program \
            has no list of its pictures, and its line says so.

            --keep N lists which backups may go: full ones before the newest N, and the increments that go on from them, unless one of \
            those restores to a later position than all that stays. One that is not good never goes, and does not count. --removable \
            prints the paths only. --prune removes them, if every page, record and picture of the newest full one is whole, and what \
            killed backups have left of the keys.

            EXAMPLES
              greentea-audit backups --data /var/lib/greentea --in /var/lib/greentea-backups
              With the copies of keys, and with every page, record and picture of each backup looked at:
                greentea-audit backups --data data --in copies --keys /media/safe/keys --verify
              The data folder is lost. What is there to restore?
                greentea-audit backups --in /var/lib/greentea-backups --keys /media/safe/keys
              Remove what is older than the last three full backups:
                greentea-audit backups --data data --in copies --keep 3 --prune

            EXIT CODES
              0   there is one, and all are good
              1   none can be restored, one is not good, or keys are left that must go: the line says which; or
                  the folder that --data names is gone or damaged; or nothing was removed, because the newest
                  full one is not whole
              2   it could not be looked at: no such folder of backups; with --keep, no data folder; or
                  not removed, while a backup is being made
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder, which the backups are compared with.", valueName: "dir"))
    var data: String?

    @Option(name: .customLong("in"), help: ArgumentHelp("The folder that the backups are in, or one backup.", valueName: "dir"))
    var place: String

    @Option(
        name: .customLong("keys"),
        help: ArgumentHelp("A copy of the keys (backup --keys), or a folder of copies; may be given several times.", valueName: "dir"))
    var keys: [String] = []

    @Flag(help: "Look at every page, record and picture of each backup, which reads its file twice.")
    var verify = false

    @Option(help: ArgumentHelp("Say which backups may go, if this many full ones are to be kept.", valueName: "n"))
    var keep: Int?

    @Flag(help: "Print the paths of those that may go, and nothing else. Needs --keep.")
    var removable = false

    @Flag(help: "Remove those that may go, if the newest full one is whole. Needs --keep.")
    var prune = false

    @Option(help: ArgumentHelp("With --prune: how long to wait for a backup there to end.", valueName: "seconds"))
    var wait = 0

    @Flag(help: "One JSON object on each line.")
    var json = false

    func validate() throws {
        if let keep, keep < 1 { throw ValidationError("--keep is the number of full backups to keep: 1 or more.") }
        if keep == nil, removable || prune { throw ValidationError("--removable and --prune need --keep.") }
        if wait != 0, !prune || wait < 0 { throw ValidationError("--wait is a number of seconds, and needs --prune.") }
        if keep != nil, data == nil { throw ValidationError("--keep needs --data: what may go depends on the log.") }
        if removable && prune { throw ValidationError("--removable only prints, and --prune removes: choose one.") }
    }

    func run() throws {
        try Outcome.report("backups") {
            let folder = try folder()
            // The lock on the backups is held to the end. Otherwise another process could add an increment that builds on a backup that is
            // about to be removed.
            let shelf = prune ? try BackupShelf(place, makesFolder: false, waiting: wait) : nil
            defer { withExtendedLifetime(shelf) {} }
            let (list, isCompared) = try look(beside: folder)
            let retention = keep.map { Retention(of: list, keeping: $0) }
            if removable {
                for copy in retention?.removable ?? [] { try StandardOutput.say(copy.path) }
                if !list.isWell {
                    StandardError.write("greentea-audit backups: not all is good in \(place); without --removable, the lines say what.")
                }
                return list.isWell
            }
            for copy in list.copies { try say(copy) }
            for chain in list.chains { try say(chain) }
            for copy in list.keyCopies { try say(members(of: copy), line(of: copy)) }
            if let left = Drill.leftover(in: place) {
                try say(["drill": left], "left over  \(left)  of a drill that was killed; the next removes it")
            }
            if let retention { try say(retention) }
            if prune { try removeAbandonedKeys(of: list) }
            if list.copies.isEmpty { StandardError.write("greentea-audit backups: there is no backup in \(place).") }
            return isCompared && (prune ? list.isWellWithoutAbandonedKeys : list.isWell)
        }
    }

    /// The data folder; nil if none is named, or if its log cannot be found and no backup is to go.
    private func folder() throws -> AuditedFolder? {
        guard let data else {
            try becomeOwner()
            return nil
        }
        do throws(AuditError) { return try AuditedFolder(asOwner: data, writing: [prune ? place : nil]) } catch { try say(error) }
        return nil
    }

    /// Lists the backups beside the log, or without it if it is damaged.
    ///
    /// - Returns: also whether the log was compared, or none was named.
    private func look(beside folder: AuditedFolder?) throws -> (BackupList, isCompared: Bool) {
        if let folder {
            do throws(AuditError) { return (try BackupList(of: folder, in: place, keys: keys, verifying: verify), true) } catch {
                try say(error)
            }
        }
        return (try BackupList(in: place, keys: keys, verifying: verify), data == nil)
    }

    /// Says why the log cannot be compared with.
    private func say(_ error: AuditError) throws {
        if keep != nil { throw error }
        try becomeOwner()
        StandardError.write("greentea-audit backups: \(error) The backups are looked at without it.")
    }

    private func becomeOwner() throws(AuditError) {
        do { try FolderOwner.become(of: place) } catch { throw AuditError(.output, error.detail, remedy: error.remedy) }
    }

    private func say(_ retention: Retention) throws {
        if prune { try retention.prune() }
        let verb = prune ? "removed" : "may go"
        if retention.removable.isEmpty, !json {
            try StandardOutput.say("nothing may go: no full backup is older than the newest \(keep ?? 0), or an increment of it is needed")
        }
        for copy in retention.removable { try say(["removable": copy.path, "removed": prune], "\(verb)  \(copy.path)") }
    }

    private func removeAbandonedKeys(of list: BackupList) throws {
        for path in try list.removeAbandonedKeys() { try say(["keys": path, "removed": true], "removed  \(path)") }
    }

    private func say(_ members: [String: Any?], _ line: String) throws {
        try StandardOutput.say(json ? JSONLine.text(members) : line)
    }

    private func say(_ copy: BackupList.Copy) throws {
        var members: [String: Any?] = [
            "backup": copy.path, "events": copy.events, "bytes": copy.bytes, "pictures": copy.pictures, "newest": copy.newest?.rfc3339,
            "pictureList": copy.lacksPictureList ? false : nil, "checkpoint": copy.lacksCheckpoint ? false : nil,
        ]
        let kind: String
        switch copy.kind {
        case .full: (kind, members["kind"]) = ("full", "full")
        case .increment(let parent, let after):
            kind = "increment of \(parent)  events \(after + 1)-\(copy.events)"
            (members["kind"], members["parent"], members["after"]) = ("increment", parent, after)
        }
        let newest = copy.newest.map { " of \($0.rfc3339)" } ?? ""
        let content = "\(kind)  restores to \(copy.events)\(newest)  bytes \(copy.bytes)  pictures \(copy.pictures)"
        let line: String
        switch copy.standing {
        case .good(let missing):
            let list = copy.lacksPictureList ? "  has no list of its pictures: one that is gone is not missed" : ""
            let signed = copy.lacksCheckpoint ? "  has no checkpoint: nothing shows whether its log lost its end" : ""
            line = "good  \(copy.path)  \(content)\(missing.map { "  lacks \($0)" } ?? "")\(list)\(signed)"
            (members["standing"], members["lacks"]) = ("good", missing)
        case .ahead(let count):
            line = "ahead  \(copy.path)  \(content)  has \(count) events that the log has lost"
            (members["standing"], members["lost"]) = ("ahead", count)
        case .foreign: (line, members["standing"]) = ("foreign  \(copy.path)  \(content)  is of another log", "foreign")
        case .damaged(let why):
            (line, members["standing"], members["why"]) = ("damaged  \(copy.path)  \(why)", "damaged", why)
        case .unreadable(let why):
            (line, members["standing"], members["why"]) = ("unreadable  \(copy.path)  \(why)", "unreadable", why)
        case .broken(let why):
            (line, members["standing"], members["why"]) = ("broken  \(copy.path)  \(content)  \(why)", "broken", why)
        }
        try say(members, line)
    }

    private func say(_ chain: BackupList.Chain) throws {
        func moment(_ copy: BackupList.Copy?) -> String {
            copy.map { "\($0.events)" + ($0.newest.map { " of \($0.rfc3339)" } ?? "") } ?? ""
        }
        let moments = chain.ends.map { JSONLine.object(["backup": $0.path, "position": $0.events, "time": $0.newest?.rfc3339]) }
        try say(
            ["chain": chain.full, "moments": moments],
            "moments  \(chain.full)  oldest \(moment(chain.ends.first))  newest \(moment(chain.ends.last))  ends \(chain.ends.count)")
    }

    private func line(of copy: BackupList.KeyCopy) -> String {
        if let fault = copy.fault { return "damaged  \(copy.path)  \(fault)" }
        if !copy.isCompared, !copy.isAbandoned { return "unknown  \(copy.path)  keys; only the log tells whose erasure they undo" }
        if copy.isAbandoned { return "left over  \(copy.path)  keys of a backup that was killed; throw this copy away" }
        guard !copy.erased.isEmpty else { return "good  \(copy.path)  keys, none of an erased account" }
        let accounts = copy.erased.map(\.text).joined(separator: ", ")
        return "left over  \(copy.path)  keys of erased accounts: \(accounts); throw this copy away, and make another"
    }

    private func members(of copy: BackupList.KeyCopy) -> [String: Any?] {
        let erased = copy.isCompared ? copy.erased.map(\.text) : nil
        return ["keys": copy.path, "abandoned": copy.isAbandoned, "erased": erased, "fault": copy.fault]
    }
}
