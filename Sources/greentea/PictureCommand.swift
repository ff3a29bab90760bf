import ArgumentParser
import Images

/// `greentea picture`: one picture, decoded apart from the service that starts this for it. Nothing for people to type.
///
/// It runs on the program's first thread, with no other beside it: each would take a part of the address space that it may have.
struct PictureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: PictureProgram.subcommand, abstract: "Decode one picture; the service starts this for itself.", shouldDisplay: false)

    @Option(name: .customLong(PictureProgram.widthOption), help: "The width of the thumbnail to make of it.")
    var width: Int?

    func run() { PictureChild.run(width: width) }
}
