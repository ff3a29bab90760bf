import Archive
import ArgumentParser
import Audit
import CommandService
import Console
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec

/// `greentea-audit who`: answers "who used this code?"
struct WhoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who", abstract: "Who used this code? By its id, or as it was typed.",
        discussion: """
            Prints every event of the code and a verdict: who used it, when, and for which cards with how many stamps each; or that \
            nobody did; and whether that account was erased since. The log has only a keyed hash of what people type, so a typed code, \
            or the link in its picture, needs the master key; an id needs none.

            EXAMPLES
              By the id that the API and the log show:
                greentea-audit who code_01j9gvq8v0egd9p6pn89w64q8t --data data
              By what the customer typed or scanned (in development the folder has the key):
                greentea-audit who C989-9AT4 --data data --master-key-file master.key
                greentea-audit who https://greentea.example/s/C9899AT4 --data data --master-key-file master.key

            EXIT CODES
              0   it was given out; the verdict says what became of it
              1   there is no such code
              2   it could not be looked for: no data folder, no key for a typed code, or the log is damaged
              64  wrong use: neither an id nor a code
            """)

    @Argument(
        help: ArgumentHelp(
            "code_01… or the id of a redemption or paper card, or the eight or sixteen symbols, or the link with them.", valueName: "code"),
        transform: Scanned.code)
    var code: String

    @OptionGroup var folder: FolderOption

    @Option(
        name: .customLong("master-key-file"),
        help: ArgumentHelp("The master key, for a typed code; else that of development in the folder.", valueName: "file"))
    var masterKeyFile: String?

    func validate() throws {
        if CodeFate(id: code) == nil, TypedCode(typed: code) == nil, PaperCode(typed: code) == nil {
            if LifeOf(code) != nil {
                throw ValidationError(
                    "'\(code)' is no code's id. What happened to it: greentea-audit history \(code) --data \(folder.data)")
            }
            throw ValidationError("'\(code)' is neither a code nor the id of one.")
        }
    }

    func run() throws {
        try Outcome.report("who", damage: 2) {
            // The master key is read before the folder is opened, because opening gives up root's rights. Only the search for a typed code
            // needs this key.
            let master = CodeFate(id: code) == nil ? try? String(contentsOfFile: masterKeyPath, encoding: .utf8) : nil
            let log = try folder.audited().log(.readOnly)
            let answers = try question(master).answers(in: log).filter { !$0.lines.isEmpty }
            for answer in answers { try StandardOutput.say(answer.lines + ["\(answer.id)  \(answer.verdict)"]) }
            if answers.isEmpty { StandardError.write("greentea-audit who: no such code was ever given out here.") }
            return !answers.isEmpty
        }
    }

    private func question(_ master: String?) throws(AuditError) -> CodeFate {
        if let byID = CodeFate(id: code) { return byID }
        if let paper = PaperCode(typed: code) {
            // A code whose authentication bits are wrong was never printed, so the search is for a secret that no printed code has.
            guard let (print, number) = try keys(master).paper(in: paper) else { return CodeFate(printCode: Secret(0), number: 0) }
            return CodeFate(printCode: print, number: number)
        }
        guard let typed = TypedCode(typed: code) else { throw AuditError(.input, "\(code) is no code.", remedy: "Give all its symbols.") }
        let keys = try self.keys(master)
        return CodeFate(stampCode: keys.secret(ofStampCode: typed), redemptionCode: keys.secret(ofRedemptionCode: typed))
    }

    private var masterKeyPath: String { masterKeyFile ?? DataFolder(folder.data).developmentSecret }

    private func keys(_ text: String?) throws(AuditError) -> Keys {
        let data = DataFolder(folder.data)
        guard FileManager.default.fileExists(atPath: data.keys + "/data.mdb") else { throw .noKeys(in: data.keys) }
        guard let text else {
            throw AuditError(
                .input, "a typed code is looked for by its keyed hash, and the key file \(masterKeyPath) cannot be read.",
                remedy: "Name the master key with --master-key-file, or look for the code's id.")
        }
        do {
            if let keys = try KeyStore.keys(MasterSecret(text: text), in: data.keys) { return keys }
        } catch { throw AuditError(.input, "\(error)", remedy: "Name the master key of this folder with --master-key-file.") }
        throw AuditError(.missing, "there are no keys in \(data.keys).", remedy: "Name the folder that the server was started with.")
    }
}

/// Extracts a code from the text of a QR code, which is a link.
enum Scanned {
    /// Returns the last part of a link, such as `C9899AT4` for `https://greentea.example/s/C9899AT4`. Returns any other text unchanged.
    static func code(_ text: String) -> String {
        guard let start = text.range(of: "://")?.upperBound else { return text }
        let path = text[start...].prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").dropFirst().last.map(String.init) ?? text
    }
}

/// `greentea-audit size`: answers "how large is the data folder, and can it be made smaller?"
struct SizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "size", abstract: "How large is each part, and what can be made smaller?",
        discussion: """
            Events by kind with the bytes of their records; then the files of the log, the keys, the pictures, the index and each \
            model, with the bytes of pages that are free in them and what may be done about each; then the sum. Free pages are used \
            again before a file grows; a file shrinks only by being made anew. A rebuilt model keeps the generation before it, and is \
            larger until that is gone. It only reads.

            EXAMPLE
              greentea-audit size --data data

            EXIT CODES
              0   printed
              1   the log's file is damaged
              2   it could not be looked at: no data folder
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Flag(help: "One JSON object on each line.")
    var json = false

    func run() throws {
        try Outcome.report("size") {
            let report = try SizeReport(of: folder.audited())
            for kind in report.kinds {
                let members: [String: Any] = ["kind": kind.name, "events": kind.events, "bytes": kind.bytes]
                try StandardOutput.say(json ? JSONLine.text(members) : "\(kind.name)  events \(kind.events)  bytes \(kind.bytes)")
            }
            for part in report.parts {
                let members: [String: Any] = [
                    "part": part.name, "files": part.files, "bytes": part.bytes, "free": part.freeBytes, "saved": part.savedBytes,
                    "remedy": part.remedy,
                ]
                let saved = part.savedBytes > 0 ? "  can be won back \(part.savedBytes)" : ""
                let line = "\(part.name)  files \(part.files)  bytes \(part.bytes)  free \(part.freeBytes)\(saved)  (\(part.remedy))"
                try StandardOutput.say(json ? JSONLine.text(members) : line)
            }
            let (bytes, saved) = (report.parts.reduce(0) { $0 + $1.bytes }, report.parts.reduce(0) { $0 + $1.savedBytes })
            if !json { try StandardOutput.say("all  bytes \(bytes)  can be won back \(saved)") }
            return true
        }
    }
}

/// `greentea-audit erasures`: answers "did the erasure finish?"
struct ErasuresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erasures", abstract: "Did the erasures finish, and is any erased person's key left?",
        discussion: """
            Each certificate of an erasure in the log, with whether the account's key, and those of the shops that closed with it, are \
            gone from the folder's keys and from the copies of keys that are named. It opens no key and needs no secret. The last line, \
            also with --json, is the verdict on all of them.

            EXAMPLES
              greentea-audit erasures --data data
              With the copies of keys, which open what was sealed as long as they exist:
                greentea-audit erasures --data data --keys /media/safe/keys

            EXIT CODES
              0   all are done, or there was none
              1   a key of an erased account, or of a shop that closed with it, is left: the line says where; or a restore may have
                  undone erasures
              2   it could not be looked at: no data folder, no keys
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(
        name: .customLong("keys"), help: ArgumentHelp("A copy of the keys (backup --keys); may be given several times.", valueName: "dir"))
    var copies: [String] = []

    @Flag(help: "One JSON object on each line.")
    var json = false

    func run() throws {
        try Outcome.report("erasures") {
            let report = try ErasureReport(of: folder.audited(), copies: copies)
            for erasure in report.erasures { try StandardOutput.say(line(erasure)) }
            for path in report.unscrubbed {
                let line = "unfinished  \(path) may hold destroyed keys in unused pages; the next start of the service overwrites them"
                try StandardOutput.say(json ? JSONLine.text(["unfinished": path]) : line)
            }
            if let position = report.restoredTo { try StandardOutput.say(line(restoredTo: position)) }
            try StandardOutput.say(verdict(report))
            return report.isDone
        }
    }

    private func verdict(_ report: ErasureReport) -> String {
        let count = report.erasures.count
        if json { return JSONLine.text(["done": report.isDone, "erasures": count]) }
        if let position = report.restoredTo, report.isClear {
            return "not known: restored from a backup of \(position) events, and later erasures may be undone, until "
                + "\(DataFolder(folder.data).restoreNote) is removed (the runbook, After a restore)"
        }
        let state = report.isDone ? "done" : "left over"
        if count == 0 { return "\(state)  nobody was ever erased" }
        let none = "no copy of the keys was looked at: name each with --keys"
        let looked = copies.isEmpty ? none : "copies of keys looked at: \(copies.count)"
        return "\(state)  erasures \(count)  (\(looked))"
    }

    private func line(restoredTo position: UInt64) -> String {
        if json { return JSONLine.text(["restoredTo": position]) }
        return "restored  a backup of \(position) events took the log's place: erasures after those events and before the restore are not "
            + "listed, and may be undone (the runbook, After a restore)"
    }

    private func line(_ erasure: ErasureReport.Erasure) -> String {
        let (account, time) = (erasure.account.text, erasure.time.rfc3339)
        if json {
            return JSONLine.text([
                "account": account, "position": erasure.position, "time": time, "done": erasure.isDone, "leftovers": erasure.leftovers,
            ])
        }
        let state = erasure.isDone ? "done" : erasure.leftovers.map(leftOver).joined(separator: ", ")
        return "\(account)  erased \(time)  position \(erasure.position)  \(state)"
    }

    private func leftOver(_ place: String) -> String {
        let isOwn = place == DataFolder(folder.data).keys
        return "left over in \(place)" + (isOwn ? " (the folder's own keys: the next start of the service finishes it)" : "")
    }
}

/// `greentea-audit doctor`: answers "what would prevent this service from running or from being restored?"
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Is anything about this folder and machine going wrong?",
        discussion: """
            Disk, owner and permissions of the files, the clock, the log's pages if it is small, the files of pictures that shops \
            show, the checkpoint, whether a server runs, the age of the last backup, full backup, drill and copy of the keys, whether \
            the keys are this log's and whether their copy is from before an erasure, a restore that may have undone some, the maps of \
            log, keys and models, the versions, the limit of open files, the certificate: a line each, with a remedy where there is \
            something to do. It only reads, and may run beside a server. It does not compare the events with their hashes: greentea- \
            audit verify does.

            The limit is that of the process which serves the folder; without one, that of a service that this shell would start. The \
            certificate and its key are those that are named here, else on the command line of that process; where both are silent, \
            there is no line about them.

            EXAMPLES
              greentea-audit doctor --data data
              With the files that the unit hands to the service, as root:
                greentea-audit doctor --data /var/lib/greentea --tls-cert /etc/greentea/chain.pem --tls-key /etc/greentea/key.pem

            EXIT CODES
              0   nothing is bad; warnings may be there
              1   something is bad, mostly so that no server would start: its line has the remedy
              2   it could not be looked at: no data folder
              64  wrong use: a key without its certificate
            """)

    @OptionGroup var folder: FolderOption

    @Option(name: .customLong("tls-cert"), help: ArgumentHelp("The certificate's chain, in PEM.", valueName: "file"))
    var certificate: String?

    @Option(name: .customLong("tls-key"), help: ArgumentHelp("The certificate's key, in PEM.", valueName: "file"))
    var key: String?

    @Flag(help: "One JSON object on each line.")
    var json = false

    func validate() throws {
        if key != nil, certificate == nil { throw ValidationError("--tls-key needs --tls-cert, the certificate that it belongs to.") }
    }

    func run() throws {
        try Outcome.report("doctor") {
            // The certificate and the key are read before the folder is opened, because opening gives up root's rights, and only root may
            // read the key.
            let service = ServiceProcess(serving: folder.data)
            let named = certificate ?? service?.value(of: "--tls-cert")
            let look = named.map { CertificateLook(certificate: $0, key: certificate == nil ? service?.value(of: "--tls-key") : key) }
            let descriptors = DescriptorLook(of: service, least: DescriptorNeeds.least, wanted: DescriptorNeeds.wanted)
            let checkup = try Checkup(
                of: folder.audited(), now: Now.timestamp, service: service, descriptors: descriptors, certificate: look, fonts: FontLook())
            for line in checkup.lines {
                let members = ["subject": line.subject, "verdict": line.verdict.rawValue, "finding": line.finding, "remedy": line.remedy]
                let remedy = line.remedy.isEmpty ? "" : "  → \(line.remedy)"
                try StandardOutput.say(
                    json ? JSONLine.text(members) : "\(line.verdict.rawValue)  \(line.subject): \(line.finding)\(remedy)")
            }
            if !json { try StandardOutput.say("greentea \(ProductVersion.text)") }
            return checkup.isWell
        }
    }
}
