import ArgumentParser

/// `greentea key new`
struct KeyNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Print a new master key.",
        discussion: """
            64 hexadecimal digits, on standard output and nowhere else.

            EXAMPLES
              For a file that only the service may read:
                (umask 077; greentea key new > master.key)

            EXIT CODES
              0   printed
              2   standard output cannot be written; what is there is no key
              64  the command line is wrong
            """)

    func run() async throws {
        try await reportingRefusals { try announce(MasterKeyText.make()) }
    }
}
