internal import Glibc

/// Checks the limit of open files of the serving process, or of a service that would be started from this shell.
public struct DescriptorLook: Sendable {
    /// `Int.max` if unlimited; nil if the system does not show the limit.
    private let limit: Int?
    private let open: Int?
    private let process: Int?
    private let least: Int
    private let wanted: Int

    /// - Parameters:
    ///   - service: nil checks the hard limit of this process, to which a service could raise its own limit.
    ///   - least: the number of descriptors below which no service starts.
    ///   - wanted: the number that permits the maximum number of connections.
    public init(of service: ServiceProcess?, least: Int, wanted: Int) {
        let limit = if let service { service.descriptorsMax } else { Self.ownLimit() }
        self.init(limit: limit, open: service?.descriptorsOpen, process: service?.id, least: least, wanted: wanted)
    }

    public init(limit: Int?, open: Int?, process: Int?, least: Int, wanted: Int) {
        (self.limit, self.open, self.process, self.least, self.wanted) = (limit, open, process, least, wanted)
    }

    private static func ownLimit() -> Int? {
        var limit = rlimit()
        // SAFETY: getrlimit writes only to the local variable that is passed to it.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_max)
    }

    /// From this percentage of use on, the checkup advises a higher limit.
    private static let openPercentMax = 80

    var line: Checkup.Line {
        let owner = process.map { "process \($0)" } ?? "a service started from here"
        guard let limit else {
            let finding = "the limit of open files of \(owner) could not be read"
            return line(.warning, finding, "Look as the service's user or as root: greentea-audit doctor --data FOLDER.")
        }
        let used = open.map { ", and has \($0) open" } ?? ""
        let finding = "\(owner) may open \(limit == .max ? "any number of" : "\(limit)") files\(used)"
        let remedy = "Set the limit to \(wanted) or more (LimitNOFILE= of the unit, ulimit -n), and start the service again."
        if limit < least { return line(.bad, "\(finding); it needs \(least) at least", remedy) }
        if let open, limit != .max, open * 100 >= limit * Self.openPercentMax { return line(.warning, finding, remedy) }
        if limit < wanted { return line(.warning, "\(finding); for all the connections that it can serve it needs \(wanted)", remedy) }
        return line(.ok, finding, "")
    }

    private func line(_ verdict: Checkup.Line.Verdict, _ finding: String, _ remedy: String) -> Checkup.Line {
        Checkup.Line("descriptors", verdict, finding, remedy)
    }
}
