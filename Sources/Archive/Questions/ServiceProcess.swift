internal import Foundation
internal import LoyaltyCodec

/// The process that serves a data folder, as the system shows it to its own user and to root.
public struct ServiceProcess: Hashable, Sendable {
    public let id: Int
    /// Descriptors that it may have open, `Int.max` if it has no limit; nil if the system does not tell.
    public let descriptorsMax: Int?
    /// Descriptors that it has open; nil where the system does not tell.
    public let descriptorsOpen: Int?
    /// Whether its program was replaced on disk since it began, as an upgrade does.
    public let isReplaced: Bool
    private let arguments: [String]

    /// The process that the log's lock names, if that is a running service; nil if nobody serves the folder.
    ///
    /// - Parameters:
    ///   - data: the data folder.
    ///   - processes: the folder in which the system shows its processes.
    public init?(serving data: String, processes: String = "/proc") {
        guard let text = Self.text(DataFolder(data).log + "/writer.lock"),
            let id = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return nil }
        let place = "\(processes)/\(id)"
        let words = (Self.text(place + "/cmdline") ?? "").split(separator: "\0").map(String.init)
        // The number stays in the file when the process ends, and may be another's by now.
        guard let name = words.first, (name as NSString).lastPathComponent == "greentea", words.contains("serve") else { return nil }
        (self.id, arguments) = (id, words)
        let limit = (Self.text(place + "/limits") ?? "").split(separator: "\n").first { $0.hasPrefix("Max open files") }
        descriptorsMax = limit?.split(separator: " ").dropFirst(3).first.flatMap { $0 == "unlimited" ? .max : Int($0) }
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: place + "/exe")
        isReplaced = program?.hasSuffix(" (deleted)") ?? false
        descriptorsOpen = (try? FileManager.default.contentsOfDirectory(atPath: place + "/fd"))?.count
    }

    /// The value of a flag on its command line.
    public func value(of flag: String) -> String? {
        if let place = arguments.firstIndex(of: flag), place + 1 < arguments.count { return arguments[place + 1] }
        return arguments.first { $0.hasPrefix(flag + "=") }.map { String($0.dropFirst(flag.count + 1)) }
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
