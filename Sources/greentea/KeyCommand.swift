import ArgumentParser

/// `greentea key`: the master key.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make the master key, and change it.",
        discussion: """
            The master key wraps the data key of every account. Keep it apart from the data folder and from its backups: who has both
            reads everything; who has lost it reads nothing, for ever.
            """,
        subcommands: [KeyNewCommand.self, KeyRotateCommand.self])
}
