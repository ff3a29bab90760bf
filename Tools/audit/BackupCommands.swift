import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Merkle

/// `greentea-audit backup`: copies the log, or only the events since an earlier backup, while a server may write.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the log, or what is new since another backup, while a server may write.",
        discussion: """
            A full copy holds the log, the checkpoint that it covers, and the images. The accounts' keys are not in it: erasing a \
            person destroys their key, and a backup would bring it back. --keys puts them into a folder of their own; keep it \
            apart, and not long.

            Every page of the log's file is looked at before, and every record's hash after: a damaged log is not copied, so that \
            the last good backup stays the last. That reads the file twice more.

            An increment (--parent, or --in with --incremental) holds what its parent lacks: events, each compared with its hash, and \
            pictures. It names its parent by position and root, and lies beside it. `restore` takes the last of a chain. Keys are always \
            copied whole.

            --in names the folder of all backups: each gets its time as its name, an increment goes on from the newest good one, and is a \
            full one if there is none. Where nothing is new, none is made. One process at a time works there; --wait waits for another.

            --through gives the backup to a shell command's standard input, as a tar stream, before it has its name: where the command \
            does not end with 0, there is no backup. The keys are never sent. An increment that is sent goes on from a backup that the \
            same command got, and with --in is a full one if there is none, or if the newest full one was never sent: what the command got \
            can always be restored by itself.

            A picture that is damaged or cannot be read is left out and named: an earlier backup may have it whole. One that a shop shows \
            and that has no file is named as missing. A backup of which a file is missing, cut short or too long is never built on: the \
            increment goes on from a whole one, or is a full one, and the line says why.

            EXAMPLES
              greentea-audit backup --data data --to copy
              The keys apart, to be thrown away soon:
                greentea-audit backup --data data --to copy --keys /media/safe/keys
              Hourly, and to another machine:
                greentea-audit backup --data data --in copies --incremental --through 'ssh store tar -xf - -C copies'

            EXIT CODES
              0   copied, and durable; or nothing was new
              1   the log or a link of the chain is damaged, and nothing was copied; or
                  pictures are, or are missing, or another backup is not whole, and
                  everything else was copied or nothing else was new
              2   not copied, and nothing left behind: the target is not empty, no room,
                  no data folder, no such parent, the command failed, another backup is
                  being made to the same place
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("The folder to make; it may exist, but must be empty.", valueName: "dir"))
    var to: String?

    @Option(
        name: .customLong("in"), help: ArgumentHelp("The folder of all backups, in which one gets its time as its name.", valueName: "dir"))
    var place: String?

    @Option(help: ArgumentHelp("The backup beside --to that an increment goes on from.", valueName: "dir"))
    var parent: String?

    @Flag(help: "With --in: copy what is new since the newest good backup there.")
    var incremental = false

    @Option(help: ArgumentHelp("With --in: how long to wait for another backup there to end.", valueName: "seconds"))
    var wait = 0

    @Option(help: ArgumentHelp("The folder to copy the accounts' keys to.", valueName: "dir"))
    var keys: String?

    @Option(help: ArgumentHelp("A shell command that gets the backup as a tar stream.", valueName: "command"))
    var through: String?

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func validate() throws {
        try PlaceWord.refuse(to, place, keys)
        guard (to == nil) != (place == nil) else { throw ValidationError("Name either --to or --in.") }
        if parent != nil, to == nil { throw ValidationError("--parent needs --to; with --in, --incremental finds the parent.") }
        if wait != 0, place == nil || wait < 0 { throw ValidationError("--wait is a number of seconds, and needs --in.") }
        if incremental, place == nil { throw ValidationError("--incremental needs --in; with --to, name the parent by --parent.") }
    }

    func run() throws {
        try Outcome.report("backup") {
            let audited = try folder.audited(writing: to, place, keys)
            try audited.requireOutside(to, place, keys)
            let shelf = try place.map { try BackupShelf($0, waiting: wait) }
            defer { withExtendedLifetime(shelf) {} }
            let target = shelf?.path(at: Instant(microseconds: Now.timestamp.microseconds)) ?? to ?? ""
            let delivery = through.map { Delivery(through: $0) }
            if let parent { try delivery?.requireSent(parent) }
            let list = incremental ? try shelf?.list(of: audited) : nil
            let onto = list.map { shelf?.newest(in: $0, sentBy: delivery) } ?? parent
            // The events are counted before the keys are copied, because the copy may lack the keys of later events.
            let state = FolderOption.state(of: folder.data)
            let outcome = try Interruption.removingUnfinished { begun in try make(audited, target, onto, delivery, begun) }
            let unsound = unsound(list, shelf, audited)
            // The note of a good drill says that all backups are whole.
            if !unsound.isEmpty { UpkeepNote.withdraw(DataFolder(folder.data).drillNote) }
            let faults: Faults
            switch outcome {
            case .nothingNew(let damaged, let missing):
                faults = Faults(damaged: damaged, missing: missing, unsound: unsound)
                try say(nothingSince: onto ?? "", faults, at: state)
            case .made(let summary):
                faults = Faults(damaged: summary.damagedPictures, missing: summary.missingPictures, unsound: unsound)
                try say(summary, target, faults)
            }
            return faults.isEmpty
        }
    }

    /// The unsound backups of a list, looked at again if there are any: the backup just made may be the one to restore instead.
    private func unsound(_ list: BackupList?, _ shelf: BackupShelf?, _ audited: AuditedFolder) -> [BackupList.Copy] {
        guard let list, let shelf, !list.unsound.isEmpty else { return [] }
        return ((try? shelf.list(of: audited)) ?? list).unsound
    }

    private func make(
        _ audited: AuditedFolder, _ target: String, _ parent: String?, _ delivery: Delivery?, _ begun: (String) -> Void
    ) throws(AuditError) -> Increment.Outcome {
        let deliver: Backup.Delivery? = delivery.map { $0.deliver }
        guard let parent else { return .made(try Backup(of: audited, to: target, keys: keys, deliver: deliver).run(begun: begun)) }
        return try Increment(of: audited, onto: parent, to: target, keys: keys, deliver: deliver).run(begun: begun)
    }

    private func say(nothingSince parent: String, _ faults: Faults, at state: String) throws {
        let data = DataFolder(folder.data)
        let line = "nothing new since \(parent)" + (keys.map { "  keys to \($0)" } ?? "")
        let note = line + "  \(state)"
        UpkeepNote.write(data.backupNote, in: folder.data, note)
        if keys != nil { UpkeepNote.write(data.keyBackupNote, in: folder.data, note) }
        let members = faults.members(beside: ["new": 0, "parent": parent, "keys": keys != nil])
        try StandardOutput.say(json ? [JSONLine.text(members)] : [line] + faults.lines(in: folder.data))
    }

    /// Pictures and backups that are not as they should be, although this backup was made.
    private struct Faults {
        let damaged: [String]
        let missing: [String]
        let unsound: [BackupList.Copy]

        var isEmpty: Bool { damaged.isEmpty && missing.isEmpty && unsound.isEmpty }

        func lines(in data: String) -> [String] {
            damaged.map { "damaged picture, left out: \($0)" } + MissingPictureText.lines(missing, in: data)
                + unsound.map { "not whole, so nothing was built on it: \($0.path): \($0.fault ?? "")" }
        }

        func members(beside others: [String: Any?]) -> [String: Any?] {
            let copies = unsound.isEmpty ? nil : unsound.map { ["backup": $0.path, "why": $0.fault ?? ""] }
            let own: [String: Any?] = ["damagedPictures": damaged, "missingPictures": missing, "unsound": copies]
            return others.merging(own) { $1 }
        }
    }

    private func say(_ summary: Backup.Summary, _ target: String, _ faults: Faults) throws {
        let root = summary.root?.hex ?? ""
        let members = faults.members(beside: [
            "events": summary.events, "bytes": summary.bytes, "root": root, "keys": summary.hasKeys, "to": target,
            "pictures": summary.pictures, "kind": summary.parent == nil ? "full" : "increment", "parent": summary.parent,
            "after": summary.parent.map { _ in summary.after },
        ])
        let origin = summary.parent.map { "  after \(summary.after) of \($0)" } ?? ""
        let missing = faults.missing.isEmpty ? "" : "  missing \(faults.missing.count)"
        let content = "events \(summary.events)  bytes \(summary.bytes)  pictures \(summary.pictures)\(missing)"
        let line = "backed up  \(content)  root \(root)  to \(target)\(origin)"
        note(summary, target)
        let copied = keys.map { ["keys copied to \($0): keep them apart from the backup, and throw the copy before it away"] } ?? []
        try StandardOutput.say(json ? [JSONLine.text(members)] : [line] + copied + faults.lines(in: folder.data))
    }
}

extension BackupCommand {
    /// Records the backup for `doctor` and the metrics. A full backup also gets a record of its own: if full backups fail each week while
    /// increments succeed, only the age of this record shows it.
    private func note(_ summary: Backup.Summary, _ target: String) {
        let data = DataFolder(folder.data)
        let root = summary.root.map { "  root \($0.hex)" } ?? ""
        let text = "events \(summary.events)\(root)  to \(target)"
        UpkeepNote.write(data.backupNote, in: folder.data, text)
        if summary.parent == nil { UpkeepNote.write(data.fullBackupNote, in: folder.data, text) }
        guard summary.hasKeys, let keys else { return }
        UpkeepNote.write(data.keyBackupNote, in: folder.data, "events \(summary.events)\(root)  to \(keys)")
    }
}

/// `greentea-audit restore`: restores a backup.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Verify a backup and put it in the place of a data folder's log.",
        discussion: """
            What the data folder has already, its log and the checkpoint that was signed last, must be the beginning of the \
            backup: nothing that others may have seen is taken back. Pictures are checked by the digests that are their names, and \
            put beside those that are there. One that is damaged or gone is left out and named: take it from another backup, \
            BACKUP/blobs/ab/abcd…, and put it in the same place of the data folder. Derived data is removed and made again by the next \
            start.

            Of increments, name the last one: its chain is verified link by link and put together in the data folder, which needs \
            room for it once more. If a link is missing or damaged, the error says what can still be restored.

            Keys that tell that they belong to another log are refused: a folder that was started before the restore has such keys. What \
            came after the backup is gone, erasures too; lines say so, with a later backup if there is one, and a note (last-restore) \
            makes `doctor` warn until it is removed.

            --to cuts what is restored after an event, or before the first event that is later than a time. Nothing but the log is cut: \
            keys and pictures are those of the backup's end. --salvaged continues the backup, or without --from begins a log, with the \
            events that `salvage` has saved, up to the first that neither has.

            EXAMPLES
              greentea-audit restore --from copy --data data
              As it was before a mistake, into a new folder:
                greentea-audit restore --from copies/LAST --to 2026-11-21T09:00:00Z --data other
              After damage:
                greentea-audit restore --from copies/LAST --salvaged salvaged.jsonl --data data
              With the keys that were kept apart:
                greentea-audit restore --from copy --data data --keys /media/safe/keys

            EXIT CODES
              0   restored
              1   the backup or a link of its chain is damaged: the findings say where;
                  nothing was changed; or pictures are, or events are lost for good, and
                  everything else was restored
              2   refused: a link of the chain is missing, a server runs, the target is
                  further on, the keys are those of another log (foreignKeys), no room,
                  no such position or time; nothing was changed
              64  wrong use
            """)

    @Option(help: ArgumentHelp("What `backup` has made.", valueName: "dir"))
    var from: String?

    @Option(help: ArgumentHelp("The file that `salvage` has written.", valueName: "file"))
    var salvaged: String?

    @Option(help: ArgumentHelp("The last event to restore, or a time such as 2026-11-21T09:00:00Z.", valueName: "position|time"))
    var to: String?

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("Where `backup --keys` has put the keys.", valueName: "dir"))
    var keys: String?

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func validate() throws {
        try PlaceWord.refuse(from, folder.data, keys, salvaged)
        if from == nil, salvaged == nil { throw ValidationError("Name a backup by --from, or salvaged events by --salvaged.") }
        guard let to else { return }
        if from == nil || salvaged != nil { throw ValidationError("--to cuts a backup: it needs --from, and takes no --salvaged.") }
        if ReplayBound(text: to) == nil {
            throw ValidationError("--to is a position, or a time with its zone, such as 2026-11-21T09:00:00Z or 2026-11-21T17:00:00+08:00.")
        }
    }

    func run() throws {
        try Outcome.report("restore") {
            try UpkeepNote.requireOwner(of: folder.data, "restore")
            let bar = ProgressBar(label: "verify", total: FolderOption.events(in: from ?? ""), unit: "events")
            let restore = ChainRestore(
                from: from, to: folder.data, keys: keys, salvaged: salvaged, until: to.flatMap(ReplayBound.init(text:)),
                options: .init(now: Now.timestamp))
            let outcome = try Interruption.removingUnfinished { begun in
                try restore.run(progress: { bar.advance(to: Int(clamping: $0)) }, begun: begun)
            }
            bar.finish()
            let text = VerifyText(report: outcome.report, missing: outcome.missingPictures, restored: folder.data, outcome: outcome)
            try StandardOutput.say(text.lines(json: json))
            return outcome.isClean && outcome.missingPictures.isEmpty
        }
    }
}
