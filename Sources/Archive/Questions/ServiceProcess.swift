internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// The process that serves a data folder, as far as `/proc` shows it to the current user.
public struct ServiceProcess: Hashable, Sendable {
    public let id: Int
    /// The process's limit of open descriptors, `Int.max` if there is no limit; nil if the system does not show it.
    public let descriptorsMax: Int?
    /// The number of descriptors that the process has open; nil if the system does not show it.
    public let descriptorsOpen: Int?
    /// Whether the program's file was replaced on disk since the process started, as an upgrade does.
    public let isReplaced: Bool
    private let arguments: [String]

    /// Finds the process whose id is in the lock file of the log's writer; nil if no service runs with that id, or if no process holds the
    /// lock. The id alone is not enough, because the lock file of a copied folder or of a killed server still contains an id.
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
        // The process id stays in the lock file after the process has ended, so another process may have this id now.
        guard let name = words.first, (name as NSString).lastPathComponent == "greentea", words.contains("serve") else { return nil }
        guard FileLock.isHeld(writerOf: DataFolder(data).log) == true else { return nil }
        (self.id, arguments) = (id, words)
        let limit = (Self.text(place + "/limits") ?? "").split(separator: "\n").first { $0.hasPrefix("Max open files") }
        descriptorsMax = limit?.split(separator: " ").dropFirst(3).first.flatMap { $0 == "unlimited" ? .max : Int($0) }
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: place + "/exe")
        isReplaced = program?.hasSuffix(" (deleted)") ?? false
        descriptorsOpen = (try? FileManager.default.contentsOfDirectory(atPath: place + "/fd"))?.count
    }

    /// The value of a flag in the command line of the process; nil if the flag is not given.
    public func value(of flag: String) -> String? {
        if let place = arguments.firstIndex(of: flag), place + 1 < arguments.count { return arguments[place + 1] }
        return arguments.first { $0.hasPrefix(flag + "=") }.map { String($0.dropFirst(flag.count + 1)) }
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
