import Audit
import CommandService
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Patience
import Testing

@testable import Archive
@testable import Projections
@testable import ReadModels

/// The checks of a service's environment: the limit of open files, the certificate, and the versions of programs and models.
@Suite struct CheckupTests {
    private let place = TestData().path

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.runInTime()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func certificate(_ name: String) throws -> (chain: String, key: String) {
        let (chain, key) = ("\(place)/\(name).pem", "\(place)/\(name).key")
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj", "/CN=localhost",
            "-keyout", key, "-out", chain)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        return (chain, key)
    }

    private let now = Int64(Date().timeIntervalSince1970)

    private func verdict(_ look: CertificateLook, inDays days: Int64 = 0) -> (Checkup.Line.Verdict, String) {
        let line = look.line(at: now + days * 86_400 + 3_600)
        #expect(line.subject == "certificate" && (line.verdict == .ok) == line.remedy.isEmpty, "\(line)")
        return (line.verdict, line.finding)
    }

    @Test("A certificate is fine until two weeks before it expires, and a bad finding once it has expired")
    func end() throws {
        let (chain, key) = try certificate("end")
        let look = CertificateLook(certificate: chain, key: key)
        let (first, words) = verdict(look)
        #expect(first == .ok && words == "\(chain) expires in 29 days", "\(words)")
        #expect(verdict(look, inDays: 15).0 == .ok && verdict(look, inDays: 16).0 == .warning)
        #expect(verdict(look, inDays: 29).0 == .warning)
        let (over, finding) = verdict(look, inDays: 32)
        #expect(over == .bad && finding.contains("expired"))
        #expect(verdict(look, inDays: -2).0 == .bad, "the certificate is not valid yet")
    }

    @Test("A key of another certificate, a key that others may read, and unreadable files are bad findings")
    func key() throws {
        let (chain, key) = try certificate("one")
        let other = try certificate("other")
        let (mismatch, finding) = verdict(CertificateLook(certificate: chain, key: other.key))
        #expect(mismatch == .bad && finding.contains("is not the key"))
        #expect(verdict(CertificateLook(certificate: chain, key: nil)).0 == .ok)
        for (certificate, key) in [(chain, place + "/none"), (place + "/none", key), (key, key), (chain, chain)] {
            #expect(verdict(CertificateLook(certificate: certificate, key: key)).0 == .bad)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        #expect(verdict(CertificateLook(certificate: chain, key: key)).0 == .bad)
    }

    @Test(
        "A disk with less than 5 % or 16 MiB free is a warning, and one with less than 1 MiB is full",
        arguments: [
            (2_097_152, 25_165_824, Checkup.Line.Verdict.warning), (16_777_215, 25_165_824, .warning), (16_777_216, 25_165_824, .ok),
            (50_000_000_000, 1_000_000_000_000, .ok), (49_999_999_999, 1_000_000_000_000, .warning), (1_048_575, 1_000_000_000_000, .bad),
        ] as [(Int64, Int64, Checkup.Line.Verdict)])
    func disk(_ free: Int64, of size: Int64, _ verdict: Checkup.Line.Verdict) {
        let line = Checkup.disk(DiskRoom(free: free, of: size), isFullSoon: false, "some")
        #expect(line.verdict == verdict && (line.verdict == .ok) == line.remedy.isEmpty, "\(line)")
        #expect(Checkup.disk(DiskRoom(free: free, of: size), isFullSoon: true, "some").verdict == (verdict == .ok ? .warning : verdict))
    }

    @Test("The maps of keys and models have a line each, which is a warning from 70 % on")
    func maps() throws {
        let sample = try AuditSample("checkup maps")
        let data = DataFolder(sample.data.path)
        _ = try KeyStore(directory: data.keys, master: MasterSecret(bytes: Array(repeating: 7, count: 32)), randomness: SystemRandomness())
        let checkup = try Checkup(of: AuditedFolder(sample.data.path), now: Timestamp(microseconds: now * 1_000_000))
        let models = try #require(checkup.lines.first { $0.subject == "model maps" })
        #expect(models.verdict == .ok && models.finding.contains("the fullest: "), "\(models)")
        let keys = try #require(checkup.lines.first { $0.subject == "keys map" })
        #expect(keys.verdict == .ok && keys.finding.contains(" of 65536 MiB used"), "\(keys)")
        for (used, verdict) in [(69, Checkup.Line.Verdict.ok), (70, .warning)] {
            let line = MapLook.line("keys map", MapUsage(name: "keys", usedBytes: used, limitBytes: 100), "--keys-map-gib", "")
            #expect(line.verdict == verdict && line.remedy.contains("--keys-map-gib") == (verdict == .warning), "\(line)")
        }
    }

    @Test("The limit of a map is that of the service's setting, else what a writer has reserved, and not what this reader reserves")
    func mapLimits() throws {
        let sample = try AuditSample("map limits")
        let data = DataFolder(sample.data.path)
        let map = MapLimit(bytes: 8 << 30)
        let master = try MasterSecret(bytes: Array(repeating: 7, count: 32))
        _ = try KeyStore(directory: data.keys, master: master, randomness: SystemRandomness(), map: map)
        func finding(_ subject: String) throws -> String? {
            try Checkup(of: AuditedFolder(data.path), now: Timestamp(microseconds: now * 1_000_000)).lines.first { $0.subject == subject }?
                .finding
        }
        #expect(try finding("keys map")?.contains(" of 8192 MiB used") == true)
        for (source, limit) in [("default", 8), ("flag", 4)] {
            let rows = ["keysMapGib", "logMapGib"].map { #"{"name":"\#($0)","value":"4","source":"\#(source)"}"# }
            try Data(#"{"rows":[\#(rows.joined(separator: ","))]}"#.utf8).write(to: URL(filePath: data.runningSettings))
            #expect(try finding("keys map")?.contains(" of \(limit << 10) MiB used") == true)
            #expect(try finding("log map")?.contains(" of 4096 MiB used") == (source == "flag"))
        }
    }

    @Test("The line about the log says that its pages are whole only if they were read")
    func pages() throws {
        let log = try AuditedFolder(log(at: [1]).path).log(.readOnly)
        #expect(LogLook.pages(log, areWhole: true).finding.hasPrefix("its pages are whole"))
        #expect(!LogLook.pages(log, areWhole: false).finding.contains("whole;"))
        try log.close()
    }

    @Test("Fonts without Chinese characters give a warning that names the package, and so do fonts that cannot be listed")
    func fonts() {
        #expect(FontLook(families: ["Noto Sans CJK SC"]).line.verdict == .ok)
        let none = FontLook(families: []).line
        #expect(none.verdict == .warning && none.remedy.contains("fonts-noto-cjk"))
        let unknown = FontLook(families: nil).line
        #expect(unknown.verdict == .warning && unknown.remedy.contains("fc-list"))
    }

    @Test("A descriptor limit too low for a start is bad; one too low for all connections, or nearly used up, gives a warning")
    func descriptors() {
        func verdict(_ limit: Int?, open: Int? = nil) -> Checkup.Line.Verdict {
            let line = DescriptorLook(limit: limit, open: open, process: 7, least: 640, wanted: 16_896).line
            #expect(line.subject == "descriptors" && (line.verdict == .ok) == line.remedy.isEmpty, "\(line)")
            #expect(line.remedy.isEmpty || limit == nil || line.remedy.contains("16896"))
            return line.verdict
        }
        #expect(verdict(639) == .bad && verdict(640) == .warning && verdict(16_895) == .warning && verdict(16_896) == .ok)
        #expect(verdict(20_000, open: 15_999) == .ok && verdict(20_000, open: 16_000) == .warning && verdict(.max, open: 90_000) == .ok)
        #expect(verdict(nil) == .warning)
    }

    @Test("A key file is too open if other users may read it, or if its group may read it and root does not own it")
    func openKeys() {
        #expect(CertificateLook.isOpen(mode: 0o640, isRoots: false) && !CertificateLook.isOpen(mode: 0o640, isRoots: true))
        #expect(CertificateLook.isOpen(mode: 0o604, isRoots: true) && !CertificateLook.isOpen(mode: 0o600, isRoots: false))
    }

    /// Creates a `/proc` folder that lists one process, and a data folder whose lock file names that process.
    private func served(_ words: [String], limits: String = "Max open files            1024                 4096                 files")
        throws -> (data: String, processes: String)
    {
        let (data, processes) = (TestData().path, TestData().path)
        try FileManager.default.createDirectory(atPath: data + "/log", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: processes + "/4711/fd", withIntermediateDirectories: true)
        for (path, text) in [
            (data + "/log/writer.lock", "4711\n"), (processes + "/4711/cmdline", words.map { $0 + "\0" }.joined()),
            (processes + "/4711/limits", "Limit   Soft   Hard\n\(limits)\n"), (processes + "/4711/fd/0", ""),
            (processes + "/4711/fd/1", ""),
        ] { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        return (data, processes)
    }

    /// Takes the writer's lock of a folder. The lock file names the process that the fake `/proc` folder lists.
    private func held(_ data: String) throws -> FileLock {
        let lock = try FileLock(writerOf: data + "/log")
        try Data("4711\n".utf8).write(to: URL(fileURLWithPath: data + "/log/writer.lock"))
        return lock
    }

    @Test("The process that serves a folder is found by the log's lock, with its limit and the files that its command line names")
    func process() throws {
        let place = try served(["/usr/bin/greentea", "serve", "--tls-cert", "/run/chain.pem", "--tls-key=/run/key.pem"])
        #expect(ServiceProcess(serving: place.data, processes: place.processes) == nil, "nobody holds the lock, as in a copied folder")
        let lock = try held(place.data)
        defer { withExtendedLifetime(lock) {} }
        let found = try #require(ServiceProcess(serving: place.data, processes: place.processes))
        #expect(found.id == 4_711 && found.descriptorsMax == 1_024 && found.descriptorsOpen == 2)
        #expect(found.value(of: "--tls-cert") == "/run/chain.pem" && found.value(of: "--tls-key") == "/run/key.pem")
        #expect(found.value(of: "--listen") == nil && !found.isReplaced)
        let line = DescriptorLook(of: found, least: 640, wanted: 16_896).line
        #expect(line.verdict == .warning && line.finding.contains("process 4711 may open 1024 files, and has 2 open"))
        // These folders have no serving process. One lock file contains a process id that another program has since reused, and one folder
        // was never served, so it has no lock file.
        let stranger = try served(["/usr/bin/vim", "serve"])
        let other = try held(stranger.data)
        defer { withExtendedLifetime(other) {} }
        #expect(ServiceProcess(serving: stranger.data, processes: stranger.processes) == nil)
        #expect(ServiceProcess(serving: self.place, processes: place.processes) == nil)
    }

    @Test("A program that was replaced on disk is recognised, and so are models of another version")
    func versions() throws {
        let place = try served(["/usr/bin/greentea", "serve"])
        try FileManager.default.createSymbolicLink(
            atPath: place.processes + "/4711/exe", withDestinationPath: "/usr/bin/greentea (deleted)")
        let lock = try held(place.data)
        defer { withExtendedLifetime(lock) {} }
        let found = try #require(ServiceProcess(serving: place.data, processes: place.processes))
        #expect(found.isReplaced && VersionLook.line(DataFolder(place.data), found).verdict == .warning)
        let sample = try AuditSample("versions")
        let data = DataFolder(sample.data.path)
        #expect(VersionLook.line(data, nil).verdict == .ok)
        let folder = ModelFolder(models: data.models, model: Deadlines.name)
        let current = try #require(folder.current)
        for (version, verdict) in [(current.schemaVersion + 1, Checkup.Line.Verdict.bad), (current.schemaVersion - 1, .warning)] {
            let other = Generation(schemaVersion: version, number: current.number)
            try folder.use(other)
            let line = VersionLook.line(data, nil)
            #expect(line.verdict == verdict && line.finding.contains(Deadlines.name) && !line.remedy.isEmpty, "\(line)")
        }
    }

    @Test("The days until the disk or a map is full follow from the events of the last week")
    func pace() throws {
        let sample = try AuditSample("pace")
        let log = try sample.data.log(.readOnly)
        let times = sample.history.facts.map(\.time.microseconds)
        let last = try #require(times.last)
        let dayMicroseconds = 86_400 * 1_000_000.0
        // `last` is the time of the last event. The first `now` is two hours later, because no pace is computed for a log younger than an
        // hour.
        for now in [last + Int64(dayMicroseconds / 12), last + Int64(3 * dayMicroseconds)] {
            let begin = max(now - Int64(7 * dayMicroseconds), times[0])
            let count = Double(times.count { $0 >= begin })
            let expected = count / (Double(now - begin) / dayMicroseconds)
            let pace = try Pace(of: log, now: Timestamp(microseconds: now))
            let perDay = try #require(pace.eventsPerDay)
            #expect(abs(perDay - expected) < expected * 1e-9, "\(perDay), \(expected)")
            let days = try #require(pace.days(until: perDay * 1_000 * 30, used: Double(times.count) * 1_000))
            #expect(abs(days - 30) < 1e-6)
        }
        // Without an event in the last week, no date is predicted on which the disk will be full.
        let still = try Pace(of: log, now: Timestamp(microseconds: last + Int64(8 * dayMicroseconds)))
        #expect(still.eventsPerDay == 0 && still.days(until: 1, used: 1) == nil)
        #expect(still.text(nil) == ", full in: not within a century")
        // For a log younger than an hour, no pace is computed.
        let young = try Pace(of: log, now: Timestamp(microseconds: times[0] + 1_000_000))
        #expect(young.eventsPerDay == nil && young.days(until: 1, used: 1) == nil)
        #expect(young.text(nil) == ", full in: not known in the log's first hour")
    }

    /// Makes a data folder whose log has an event at each of these times.
    private func log(at times: [Int64]) throws -> TestData {
        try TestData.with(
            times.enumerated().map { index, time in
                let account = AccountID(UInt128(index + 1))
                return Fact(
                    position: UInt64(index + 1), time: Instant(microseconds: time), actor: account,
                    event: .accountRegistered(.init(account: account, phone: Secret(account.value), sealedPhone: Sealed([1]))))
            })
    }

    @Test("An import of earlier visits does not hide the events of the last week")
    func paceOfImports() throws {
        let (now, day) = (Int64(1_800_000_000_000_000), Int64(86_400_000_000))
        let old = (0..<1_000 as Range<Int64>).map { now - 400 * day + $0 }
        let live = (0..<700 as Range<Int64>).map { now - 6 * day + $0 * 1_000_000 }
        let past = (0..<1_400 as Range<Int64>).map { now - 300 * day + $0 }
        let imported = try Pace(of: try log(at: old + live + past).log(.readOnly), now: Timestamp(microseconds: now))
        #expect(imported.eventsPerDay == 300, "2,100 events in a week")
        let none = try Pace(of: try log(at: old + past).log(.readOnly), now: Timestamp(microseconds: now))
        #expect(none.eventsPerDay == 0)
    }

    @Test("An impossible time of the newest event is a bad finding, and the checkup continues", arguments: [1, 300])
    func impossibleTime(count: Int) throws {
        let now = Int64(1_800_000_000_000_000)
        for time in [Int64.min + now, .min, -1, .max] {
            let times = (0..<Int64(count) - 1).map { now - 86_400_000_000 + $0 } + [time]
            let checkup = try Checkup(of: AuditedFolder(log(at: times).path), now: Timestamp(microseconds: now))
            #expect(checkup.lines.contains { $0.subject == "clock" && $0.verdict == .bad }, "\(time): \(checkup.lines)")
        }
        let first = try Checkup(of: AuditedFolder(log(at: [.min + now, now - 1]).path), now: Timestamp(microseconds: now))
        #expect(first.lines.filter { $0.verdict == .bad }.map(\.subject) == ["keys"], "\(first.lines)")
    }

    @Test(
        "Another owner is ignored for lost+found, and is a bad finding for any other part of the folder",
        .enabled(if: geteuid() == 0, "only root may give files away"))
    func ownersOfMountPoint() throws {
        let folder = try log(at: [1]).path
        let files = FileManager.default
        for name in ["lost+found", "lost+found/inner", "blobs"] {
            try files.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        func verdict() throws -> Checkup.Line.Verdict? {
            try Checkup(of: AuditedFolder(folder), now: Timestamp(microseconds: 1)).lines.first { $0.subject == "owner" }?.verdict
        }
        try files.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: folder + "/lost+found/inner")
        try files.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: folder + "/lost+found")
        #expect(try verdict() == .ok)
        try files.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: folder + "/blobs")
        #expect(try verdict() == .bad)
    }

    @Test("If the data folder is given by a link, owner and mode are those of the folder")
    func linked() throws {
        let folder = try log(at: [1]).path
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        let link = TestData().path + "-link"
        defer { try? files.removeItem(atPath: link) }
        try files.createSymbolicLink(atPath: link, withDestinationPath: folder)
        func line(_ subject: String) throws -> Checkup.Line? {
            try Checkup(of: AuditedFolder(link), now: Timestamp(microseconds: 1)).lines.first { $0.subject == subject }
        }
        #expect(try line("permissions")?.finding == "the folder has mode 0700" && line("permissions")?.verdict == .ok)
        #expect(try line("owner")?.verdict == .ok)
        guard geteuid() == 0 else { return }
        for path in [folder] + (try files.subpathsOfDirectory(atPath: folder)).map({ folder + "/" + $0 }) {
            try files.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path)
        }
        let owner = try line("owner")
        #expect(owner?.verdict == .ok && owner?.finding == "all files are of user 65534", "root owns the link")
    }

    @Test("A checkup has a line about each subject")
    func lines() throws {
        let sample = try AuditSample("checkup lines")
        let look = CertificateLook(certificate: place + "/none", key: nil)
        let descriptors = DescriptorLook(limit: 100, open: 4, process: 1, least: 640, wanted: 16_896)
        let checkup = try Checkup(
            of: AuditedFolder(sample.data.path), now: Timestamp(microseconds: now * 1_000_000), descriptors: descriptors, certificate: look)
        let subjects = checkup.lines.filter { $0.verdict == .bad }.map(\.subject)
        #expect(subjects == ["keys", "descriptors", "certificate"] && !checkup.isWell, "\(checkup.lines)")
        #expect(checkup.lines.contains { $0.subject == "versions" && $0.verdict == .ok })
    }
}
