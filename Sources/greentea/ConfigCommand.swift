import ArgumentParser

/// `greentea config`: prints the settings that a start with the same flags would use.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings that are in force, and where each comes from.",
        discussion: """
            Takes the flags of `serve`. Prints every setting with its value and its source, secrets and phones hidden; then looks \
            whether `serve` would start with them: the files and folders that they name, and whether the master key is the data \
            folder's. Nothing is made or changed, so it may run beside a server. Whether the address is free, and whether the log \
            is whole and the one that its checkpoint was signed for, shows only at the start; `greentea-audit verify` looks at a \
            log.

            EXAMPLES
              What would a start with this file do?
                greentea config --config greentea.yaml
              Which of a flag, a variable and the file wins?
                GREENTEA_LISTEN=127.0.0.1:8081 greentea config --config greentea.yaml --data ./data

            EXIT CODES
              0   nothing in the settings keeps it from starting
              2   something does, with the reason on standard error
              64  the command line is wrong
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            let settings = try await SettingsInForce(flags)
            for line in settings.lines + settings.notes.map({ "note: " + $0 }) { try announce(line) }
            try await ServiceConfiguration(settings).checkPlaces()
        }
    }
}
