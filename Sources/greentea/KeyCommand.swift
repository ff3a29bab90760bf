import ArgumentParser

/// `greentea key`: the master key.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make the master key, and change it.",
        discussion: """
            The master key wraps the data key of every account. Keep it apart from the data folder and from its backups: who has both
            reads everything; who has lost it reads nothing, for ever.

            EXAMPLES
              A new one, in a file that only its owner may read:
                (umask 077; greentea key new > master.key)
              Another one for the same data, while the service is stopped:
                greentea key rotate --data ./data --from master.key --to next.key

            EXIT CODES
              0   done
              2   it could not be done, with the reason and the remedy on standard error
              64  the command line is wrong
            """,
        subcommands: [KeyNewCommand.self, KeyRotateCommand.self])
}
