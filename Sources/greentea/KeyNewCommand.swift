import ArgumentParser

/// `greentea key new`
struct KeyNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Print a new master key.",
        discussion: "For a file that only the service may read: (umask 077; greentea key new > master.key)")

    func run() async throws {
        announce(MasterKeyText.make())
    }
}
