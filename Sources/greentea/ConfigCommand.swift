import ArgumentParser
import Console
import Foundation

/// `greentea config`: prints and checks the settings of a start with the same flags; with `--running`, prints those of the running server.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings that a start would use, or a running server's, and where each comes from.",
        discussion: """
            Takes the flags of `serve`. Prints every setting with its value and its source, secrets and phones hidden; then looks \
            whether `serve` would start with them: the files and folders that they name, whether the data folder has its keys, and \
            whether the master key is theirs. Nothing is made or changed, except for LMDB's lock \
            files, so it may run beside a server. Whether the address is \
            free, and whether the log is whole and the one that its checkpoint was signed for, shows only at the start; \
            `greentea-audit verify` looks at a log.

            These are not the settings of a server that runs already: that has its own flags and variables, and read its file when it \
            started. The first line says whose settings are shown, and notes at the end name what the running server has \
            instead. --running prints the running server's settings, and looks at nothing else.

            EXAMPLES
              What would a start with this file do?
                greentea config --config greentea.yaml
              Which of a flag, a variable and the file wins?
                GREENTEA_LISTEN=127.0.0.1:8081 greentea config --config greentea.yaml --data ./data
              What does the running server use?
                greentea config --running --data /var/lib/greentea

            EXIT CODES
              0   nothing in the settings keeps it from starting; with --running, printed
              2   something does, with the reason on standard error; with --running, no
                  server runs on the folder
              64  the command line is wrong
            """)

    @OptionGroup var flags: ServiceFlags

    @Flag(help: "Print the settings of the server that runs on the data folder.")
    var running = false

    func run() async throws { try await reportingRefusals { running ? try await showRunning() : try await showNext() } }

    private func showRunning() async throws {
        var named = flags.data
        if named == nil { named = try await SettingsInForce(flags).text(.data) }
        guard let data = named else { throw Refusal.notConfigured(["a data folder: --data DIR"]) }
        guard let server = try RunningSettings(servedAt: data) else { throw Refusal.notServed(data) }
        try announce("settings of the server that runs on \(data): \(server.server)")
        for line in SettingRow.lines(server.rows) { try announce(line) }
    }

    private func showNext() async throws {
        let settings = try await SettingsInForce(flags)
        let server = try settings.text(.data).flatMap { data throws(Refusal) in try RunningSettings(servedAt: data) }
        try announce("settings of a start with these flags, variables and file\(Self.beside(server, settings.text(.data)))")
        let differences = Self.differences(of: server, from: settings.rows)
        let begun = settings.text(.data).flatMap(Self.noteOfNewShop).map { [$0] } ?? []
        for line in SettingRow.lines(settings.rows) + (settings.notes + begun + differences).map({ "note: " + $0 }) { try announce(line) }
        let configuration = try ServiceConfiguration(settings)
        // Becomes the folder's user only after it has read the secrets. Reading log and keys makes LMDB's lock files, and the service could
        // not open files of root.
        try FolderOwner.become(of: configuration.data)
        try await configuration.checkPlaces(settings)
    }

    /// A note that a start would begin a new shop, which is a mistake if the path was mistyped. Nil for a folder with a log.
    private static func noteOfNewShop(_ data: String) -> String? {
        guard DataPlace(path: data).beginsLog else { return nil }
        let what = FileManager.default.fileExists(atPath: data) ? "has no log" : "does not exist"
        return "\(data) \(what): a start would begin a new shop there"
    }

    private static func beside(_ server: RunningSettings?, _ data: String?) -> String {
        guard let data else { return "" }
        guard let server else { return "; no server runs on \(data)" }
        return ", not of the server that runs on \(data) (\(server.server)): for those, --running"
    }

    private static func differences(of server: RunningSettings?, from rows: [SettingRow]) -> [String] {
        guard let server else { return [] }
        let values = Dictionary(rows.map { ($0.name, $0.value) }) { $1 }
        let others = server.rows.filter { values[$0.name] != $0.value && $0.source != RunningSettings.ownName }
        return others.map { "the running server has \($0.name) \($0.value) (\($0.source))" }
    }
}
