import ArgumentParser
import Console
import Logging
import ServiceLog

/// `greentea serve`: the HTTP service on one data folder.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the HTTP API on a data folder.",
        discussion: """
            Prints one line when it is ready, with the address it is bound to (port 0 takes a free one). SIGTERM and SIGINT finish \
            what is under way and exit 0.

            It needs a data folder, a master key, and a way to send text messages; what is missing is named. `greentea config` \
            shows what is in force. The master key is made once, before the first start, and kept also apart from this machine:

              (umask 077; greentea key new > master.key)
              greentea serve --data data --master-key-file master.key --sms file:messages --origin shop.example/stamps

            --dev is for development: the answer to POST /v1/verifications carries the code (`devCode`) instead of a text message, \
            and the master key is made in the data folder (master.key, mode 0600). It listens on loopback only.

            The log signs what it holds: GET /checkpoint and /tile/… are for anyone, GET /v1/stamps/POSITION/receipt gives a \
            customer the proof of a stamp. The key to check them with is logged at the start and kept in DATA/checkpoint.vkey; \
            tell it to people by another way. A log that is older than its last checkpoint (DATA/checkpoint) is refused.

            In the background, at the lowest priority, the log is replayed and every read model compared with it (--audit). Where \
            one differs, the log says why: which event the model's code gets wrong, or that its rows were changed on the disk.
            """)

    @OptionGroup var flags: ServiceFlags

    func run() async throws {
        LogSettings.take(flags.logFormat)
        try await reportingRefusals {
            let found = try await SettingsInForce(flags)
            let settings = try ServiceConfiguration(found)
            if let owner = FolderOwner(foreignTo: settings.data) {
                throw Refusal.foreignFolder(settings.data, command: owner.command("greentea serve …"))
            }
            settings.log.putInForce()
            try await Server(found, settings, Logger(label: "greentea")).run()
        }
    }
}
