import ArgumentParser

/// `greentea config`: what a start with the same flags would find.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings that are in force, and where each comes from.",
        discussion: """
            Takes the flags of `serve`. Prints every setting with its value and its source, secrets and phones hidden; then whether
            `serve` would start with them. Exit codes: 0 it would; 2 it would not, with the reason on standard error.
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        try await reportingRefusals {
            let settings = try await SettingsInForce(flags)
            for line in settings.lines { announce(line) }
            _ = try ServiceConfiguration(settings)
        }
    }
}
