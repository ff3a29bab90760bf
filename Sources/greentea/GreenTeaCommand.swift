import ArgumentParser

/// `greentea`: the service, and what belongs to running it.
@main
struct GreenTeaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea",
        abstract: "The backend of a digital stamp-card service.",
        discussion: """
            Everything lives in one data folder: `log/` is the truth, `keys/` the data keys, `derived/` may be deleted at any
            moment. One process at a time may write to it; greentea-replay may read beside it.

            Try it:
              greentea serve --data ./data --listen 127.0.0.1:8080 --dev
              greentea import --data ./data --visits visits.csv --shop "Corner Café" --goal 10 --redeem

            Exit codes: 0 done; 2 refused or unusable, with the reason and the remedy on standard error; 3 the writer stopped
            for good, restart to recover; 64 the command line is wrong.
            """,
        subcommands: [ServeCommand.self, ImportCommand.self])
}
