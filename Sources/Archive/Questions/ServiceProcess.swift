internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// The process that serves a data folder, as far as `/proc` shows it to the current user.
public struct ServiceProcess: Hashable, Sendable {
    public let id: Int
    /// `Int.max` if there is no limit; nil if the system does not show it.
    public let descriptorsMax: Int?
    /// Nil if the system does not show it.
    public let descriptorsOpen: Int?
    /// Whether the program's file was replaced since the process started, as an upgrade does.
    public let isReplaced: Bool
    private let arguments: [String]

    /// The id in the lock file is not enough, because a copied folder or a killed server leaves one.
    public init?(serving data: String, processes: String = "/proc") {
        guard let text = Self.text(DataFolder(data).log + "/writer.lock"),
            let id = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return nil }
        let place = "\(processes)/\(id)"
        let words = (Self.text(place + "/cmdline") ?? "").split(separator: "\0").map(String.init)
        // Another process may have reused the id.
        guard let name = words.first, (name as NSString).lastPathComponent == "greentea", words.contains("serve") else { return nil }
        guard FileLock.isHeld(writerOf: DataFolder(data).log) == true else { return nil }
        (self.id, arguments) = (id, words)
        let limit = (Self.text(place + "/limits") ?? "").split(separator: "\n").first { $0.hasPrefix("Max open files") }
        descriptorsMax = limit?.split(separator: " ").dropFirst(3).first.flatMap { $0 == "unlimited" ? .max : Int($0) }
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: place + "/exe")
        isReplaced = program?.hasSuffix(" (deleted)") ?? false
        descriptorsOpen = (try? FileManager.default.contentsOfDirectory(atPath: place + "/fd"))?.count
    }

    public func value(of flag: String) -> String? {
        if let place = arguments.firstIndex(of: flag), place + 1 < arguments.count { return arguments[place + 1] }
        return arguments.first { $0.hasPrefix(flag + "=") }.map { String($0.dropFirst(flag.count + 1)) }
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
