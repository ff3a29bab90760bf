import ArgumentParser
import Console
import Dispatch
import Foundation
import Images

/// The program's entry point. `main` is synchronous, because the child process that decodes a picture MUST have only one thread: an
/// asynchronous `main` would start threads of Dispatch, which later need more than the child's limits permit.
@main
enum Program {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.first == PictureProgram.subcommand { return PictureCommand.main(Array(words.dropFirst())) }
        Task {
            await GreenTeaCommand.main()
            exit(0)
        }
        dispatchMain()
    }
}

/// `greentea`: the service, and the commands for operating it.
struct GreenTeaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea",
        abstract: "The backend of a digital stamp-card service.",
        discussion: """
            Everything lives in one data folder: `log/` is the truth, `keys/` the data keys, `derived/` may be deleted at any \
            moment. One process at a time may write to it; greentea-replay may read beside it.

            Try it:
              greentea serve --data ./data --listen 127.0.0.1:8080 --dev
              greentea import --data ./data --visits visits.csv --shop "Corner Café" --goal 10 --redeem

            For real people:
              (umask 077; greentea key new > master.key)
              greentea serve --data ./data --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem --master-key-file master.key \\
                --sms webhook:https://sms.example/send --sms-secret-file sms.secret

            Exit codes: 0 done; 2 refused or unusable, with the reason and the remedy on standard error; 3 the writer stopped for \
            good, restart to recover; 64 the command line is wrong.
            """,
        version: ProductVersion.text,
        subcommands: [ServeCommand.self, ImportCommand.self, ConfigCommand.self, KeyCommand.self, ClusterCommand.self, PictureCommand.self])
}

/// `greentea picture`: decodes one picture in a process that the service starts. Not for users. Uses one thread, because each further one
/// would need a part of the limited address space.
struct PictureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: PictureProgram.subcommand, abstract: "Decode one picture; the service starts this for itself.", shouldDisplay: false)

    @Option(name: .customLong(PictureProgram.widthOption), help: "The width of the thumbnail to make of it.")
    var width: Int?

    @Flag(name: .customLong(PictureProgram.codeOption), help: "Read the QR code in it.")
    var readsCode = false

    func run() { PictureChild.run(PictureJob(width: width, readsCode: readsCode)) }
}
