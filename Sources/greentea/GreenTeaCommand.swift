import ArgumentParser
import Console

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

            For real people:
              (umask 077; greentea key new > master.key)
              greentea serve --data ./data --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem --master-key-file master.key \\
                --sms webhook:https://sms.example/send --sms-secret-file sms.secret

            Exit codes: 0 done; 2 refused or unusable, with the reason and the remedy on standard error; 3 the writer stopped
            for good, restart to recover; 64 the command line is wrong.
            """,
        version: ProductVersion.text,
        subcommands: [ServeCommand.self, ImportCommand.self, ConfigCommand.self, KeyCommand.self, PictureCommand.self])
}
