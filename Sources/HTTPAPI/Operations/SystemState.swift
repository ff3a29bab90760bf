import CommandService
import Composition
import Foundation
import LoyaltyCodec
import Sheets

extension API {
    /// The service's surroundings, as the program knows them.
    public struct Operations: Sendable {
        /// If nil, the metrics show `unknown`, and `/healthz` and `/readyz` none.
        public var version: String?
        /// The data folder; without it, disk, backups and upkeep are not reported.
        public var data: String?
        /// Seconds since 1970; nil without TLS.
        public var certificateEnd: Int64?
        /// Why the cluster's etcd may soon refuse every write; nil if it has room.
        public var engineFault: (@Sendable () -> String?)?

        public init(version: String? = nil, data: String? = nil, certificateEnd: Int64? = nil) {
            (self.version, self.data, self.certificateEnd) = (version, data, certificateEnd)
        }
    }
}

/// The state of descriptors, disk, clock, certificate, text messages and fonts, for `/readyz` and the metrics. Each value is read quickly,
/// and nil if unknown.
struct SystemState: Sendable {
    var openDescriptors: Int?
    var descriptorsMax: Int?
    /// Bytes that this user may still use.
    var diskFreeBytes: Int64?
    var diskBytes: Int64?
    /// How far the service's clock is ahead of the machine's, which was set back.
    var clockLeadSeconds = 0.0
    /// How far the machine's clock was set ahead since the start.
    var clockGainSeconds = 0.0
    var schedulerSilentSeconds = 0.0
    var schedulerFailure: (reason: String, seconds: Double)?
    /// Nil at the writer.
    var following: FollowingStatus?
    /// Nil without a cluster.
    var cluster: ClusterStatus?
    var engineFault: String?
    var now: Int64 = 0
    /// Seconds since 1970; nil without TLS.
    var certificateEnd: Int64?

    /// Nil if the phone number alone may be the cause.
    var messageFailure: CountedSender.Result?

    /// Characters of ordinary texts that no font has, so that paper cards cannot be printed.
    var unprintable = ""

    var isDiskFull: Bool { diskFreeBytes.map { $0 < DiskRoom.fullBytes } ?? false }

    var warnings: [SystemWarning] {
        [
            descriptorsWarning, diskWarning, clockWarning, schedulerWarning, certificateWarning, messageWarning, fontWarning, leaderWarning,
            engineWarning,
        ].compactMap(\.self) + (cluster?.warnings ?? [])
    }

    private var messageWarning: SystemWarning? {
        guard let messageFailure else { return nil }
        let remedy =
            switch messageFailure {
            case .refused: "Check the SMS gateway's address, secret and credit (--sms)"
            case .unreachable, .tooMany: "Look at the SMS gateway and the network to it (--sms)"
            case .failed, .sent: "Look at the file of --sms file:, at its folder, owner and disk"
            }
        return SystemWarning(
            code: "textMessagesFail", cause: "the last text message did not leave: \(messageFailure.rawValue)",
            remedy: remedy + ": people cannot sign in. The log has a line textMessage.failed; the next message that leaves ends this.")
    }

    private var leaderWarning: SystemWarning? {
        guard let following, following.silentSeconds >= Limits.leaderSilentWarningSeconds else { return nil }
        return SystemWarning(
            code: "leaderSilent", cause: "nothing came from the server that is followed for \(Int(following.silentSeconds)) s",
            remedy: """
                Look at that server, the network to it and the log's line `follow.failed`: writes are refused, and what is shown here gets \
                older. If it is lost, make sure that it is stopped for good, and start this one without --follow.
                """)
    }

    private var engineWarning: SystemWarning? {
        engineFault.map {
            SystemWarning(
                code: "engineNearlyFull", cause: $0,
                remedy: "Free space in etcd as the manual says under Cluster, The quota is full: when it is used up, nobody writes.")
        }
    }

    private var fontWarning: SystemWarning? {
        guard !unprintable.isEmpty else { return nil }
        return SystemWarning(
            code: "fontsMissing", cause: "no installed font has \(unprintable)",
            remedy: "Install fonts with them (Debian: fonts-noto-cjk) and restart the service. Paper cards are refused for now.")
    }

    private var descriptorsWarning: SystemWarning? {
        guard let open = openDescriptors, let most = descriptorsMax, open * 100 >= most * Limits.descriptorsWarningPercent else {
            return nil
        }
        return SystemWarning(
            code: "descriptorsNearlyUsed", cause: "\(open) of \(most) descriptors are open",
            remedy: "Set the limit of open files higher (ulimit -n, LimitNOFILE=) and start again, or look for clients that open too many.")
    }

    private var diskWarning: SystemWarning? {
        guard let free = diskFreeBytes, let size = diskBytes, DiskRoom(free: free, of: size) != .enough else { return nil }
        return SystemWarning(
            code: "diskNearlyFull", cause: "\(free) of \(size) bytes are free",
            remedy: "Free space or move the data folder to a larger disk: a full one stops the service.")
    }

    private var clockWarning: SystemWarning? {
        if clockGainSeconds >= Limits.clockGainWarningSeconds {
            return SystemWarning(
                code: "clockSetAhead", cause: "the machine's clock was set ahead by \(Int(clockGainSeconds)) s since the start",
                remedy: "Check the time synchronisation. If the time is wrong, set it right; if it was slow before, restart the service.")
        }
        guard clockLeadSeconds >= Limits.clockLeadWarningSeconds else { return nil }
        // The service gains nine tenths of a second while the machine gains one.
        let hours = Int((clockLeadSeconds * 10 / 3_600).rounded(.up))
        // A start keeps a lead that is shorter, because the newest events may have it.
        let canRestart = clockLeadSeconds > Double(CommandService.Limits.clockLeadMicrosecondsMax) / 1_000_000
        return SystemWarning(
            code: "clockSetBack", cause: "the machine's clock is \(Int(clockLeadSeconds)) s behind the service's",
            remedy: """
                Check the time synchronisation. Everything works meanwhile, by the service's own time, which goes a tenth slower until the \
                machine has caught up, in \(hours == 1 ? "less than an hour" : "\(hours) hours"). \
                \(canRestart ? Self.restartRemedy : "")
                """)
    }

    private static let restartRemedy = """
        If the machine's time is right and that is too long, restart the service, which then goes by the machine's time. Codes that were \
        issued meanwhile may have to be issued again.
        """

    private var schedulerWarning: SystemWarning? {
        if let schedulerFailure, schedulerFailure.seconds >= Limits.schedulerSilentWarningSeconds {
            return SystemWarning(
                code: "dueNotRecorded", cause: "something that is due could not be recorded: \(schedulerFailure.reason)",
                remedy: "Look at the models and the disk. All else that is due is recorded, and this is tried again each second.")
        }
        guard schedulerSilentSeconds >= Limits.schedulerSilentWarningSeconds else { return nil }
        return SystemWarning(
            code: "schedulerSilent", cause: "nothing that is due was looked for in \(Int(schedulerSilentSeconds)) s",
            remedy: "Look at the writer and the disk. If both work, restart the service, which makes up for all that is due.")
    }

    private var certificateWarning: SystemWarning? {
        guard let end = certificateEnd, end - now < Limits.certificateWarningSeconds else { return nil }
        let days = (end - now) / 86_400
        return SystemWarning(
            code: "certificateExpires", cause: end <= now ? "the certificate has expired" : "the certificate expires in \(days) days",
            remedy: "Renew the certificate and restart the service.")
    }
}

/// A condition that needs an operator: a code, the cause and a remedy.
struct SystemWarning: Equatable, Sendable {
    let code: String
    let cause: String
    let remedy: String
}

struct SystemProbe: Sendable {
    private let service: GreenTea
    private let data: DataFolder?
    private let certificateEnd: Int64?
    /// Read once: the program raises the limit earlier and does not change it later.
    private let descriptorsMax = Self.limitOfDescriptors()

    init(_ service: GreenTea, _ operations: API.Operations) {
        (self.service, data, certificateEnd) = (service, operations.data.map { DataFolder($0) }, operations.certificateEnd)
    }

    var state: SystemState {
        var state = SystemState(openDescriptors: Self.openDescriptors(), descriptorsMax: descriptorsMax)
        if let data, let disk = try? FileManager.default.attributesOfFileSystem(forPath: data.path) {
            state.diskFreeBytes = (disk[.systemFreeSize] as? NSNumber)?.int64Value
            state.diskBytes = (disk[.systemSize] as? NSNumber)?.int64Value
        }
        (state.clockLeadSeconds, state.clockGainSeconds) = (service.clockLeadSeconds, service.clockGainSeconds)
        (state.schedulerSilentSeconds, state.schedulerFailure) = (service.schedulerSilentSeconds, service.schedulerFailure)
        (state.following, state.cluster) = (service.followingStatus, service.clusterStatus)
        state.unprintable = String(PaperSheet.missingFromFonts)
        (state.now, state.certificateEnd) = (Int64(Date().timeIntervalSince1970), certificateEnd)
        return state
    }

    /// Seconds since 1970; nil without the file.
    func written(_ file: (DataFolder) -> String) -> Double? {
        guard let data, let attributes = try? FileManager.default.attributesOfItem(atPath: file(data)) else { return nil }
        return (attributes[.modificationDate] as? Date)?.timeIntervalSince1970
    }

    /// Nil if it cannot be read. Since 6.2, Linux reports the number as the size of `/proc/self/fd`; older kernels report 0, and the names
    /// are counted.
    private static func openDescriptors() -> Int? {
        let files = FileManager.default
        let size = (try? files.attributesOfItem(atPath: "/proc/self/fd"))?[.size] as? NSNumber
        if let size, size.intValue > 0 { return size.intValue }
        return (try? files.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
    }

    private static func limitOfDescriptors() -> Int? {
        let lines = ProcessFigures.text("/proc/self/limits").split(separator: "\n")
        return lines.first { $0.hasPrefix("Max open files") }.flatMap { $0.split(separator: " ").dropFirst(3).first }.flatMap { Int($0) }
    }
}

/// The usual process metrics, under the names of Prometheus' own libraries.
struct ProcessFigures: Sendable {
    /// Ticks per second in `/proc`, on every supported Linux.
    private static let ticks = 100.0
    /// 4 KiB on the supported processors.
    private static let pageBytes = 4_096.0

    /// Names of counters end in `_total`.
    let values: [(name: String, value: Double)]

    /// Reads `/proc/self/stat`; no values without it.
    init() {
        // The program's name in parentheses may contain spaces.
        let text = Self.text("/proc/self/stat")
        let fields = text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ").map { Double($0) ?? 0 } } ?? []
        guard fields.count > 21 else {
            values = []
            return
        }
        values = [
            ("process_cpu_seconds_total", (fields[11] + fields[12]) / Self.ticks), ("process_threads", fields[17]),
            ("process_start_time_seconds", Self.bootSeconds + fields[19] / Self.ticks),
            ("process_virtual_memory_bytes", fields[20]), ("process_resident_memory_bytes", fields[21] * Self.pageBytes),
        ]
    }

    private static let bootSeconds: Double = {
        let line = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst(6)) } ?? 0
    }()

    static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
