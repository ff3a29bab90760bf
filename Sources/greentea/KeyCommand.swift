import ArgumentParser
import CommandService
import Console
import Foundation
import LoyaltyCodec

/// `greentea key`: the commands for the master key.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make the master key, change it, and mend the keys that it wraps.",
        discussion: """
            The master key wraps the data key of every account. Keep it apart from the data folder and from its backups: who has \
            both reads everything; who has lost it reads nothing, for ever.

            EXAMPLES
              A new one, in a file that only its owner may read:
                (umask 077; greentea key new > master.key)
              Another one for the same data, while the service is stopped:
                greentea key rotate --data ./data --from master.key --to next.key
              Keys with one damaged head page, while the service is stopped:
                greentea key mend --keys ./data/keys

            EXIT CODES
              0   done
              2   it could not be done, with the reason and the remedy on standard error
              64  the command line is wrong
            """,
        subcommands: [KeyNewCommand.self, KeyRotateCommand.self, KeyMendCommand.self])
}

/// `greentea key new`: prints a new master key.
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

    func run() async throws { try await reportingRefusals { try announce(MasterKeyText.make()) } }
}

/// `greentea key rotate`: encrypts every data key with a new master key in place of the old one.
struct KeyRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Wrap every data key by another master key.",
        discussion: """
            For a stopped service. All keys change hands in one transaction, so that a crash leaves the folder with the old master \
            key or with the new one; running it again finishes. Codes, sign-ins and the log's signatures go on: they hang on a \
            secret that is kept beside the data keys, wrapped by the master key.

            Afterwards start with the new key, copy the keys anew (greentea-audit backup --keys), and destroy the old key and the copies \
            of the keys from before, which only it opens. Until there is a new copy, `greentea-audit doctor` says that none is noted.

            EXAMPLES
              Make a new key, change to it, and see that it is in force:
                (umask 077; greentea key new > next.key)
                greentea key rotate --data ./data --from master.key --to next.key
                greentea config --data ./data --master-key-file next.key --sms file:messages

            EXIT CODES
              0   the new key is in force, be it since an earlier run
              2   it could not be done, with the reason and the remedy on standard error;
                  the old key is in force, unless the reason says that the new one is
              64  the command line is wrong
            """)

    @Option(help: "The data folder.")
    var data: String

    @Option(help: ArgumentHelp("The file with the master key that is in force.", valueName: "file"))
    var from: String

    @Option(help: ArgumentHelp("The file with the new one.", valueName: "file"))
    var to: String

    func run() async throws {
        try await reportingRefusals {
            let folder = DataFolder(data)
            guard FileManager.default.fileExists(atPath: folder.keys) else { throw Refusal.noKeys(folder.keys) }
            let (old, new) = (try MasterKeyText.secret(inFile: from), try MasterKeyText.secret(inFile: to))
            // Becomes the folder's user only after it has read both keys. The service must be able to open the files created from here on.
            try FolderOwner.become(of: data)
            try announce(try rotate(folder, old, new))
        }
    }

    private func rotate(_ folder: DataFolder, _ old: MasterSecret, _ new: MasterSecret) throws -> String {
        let randomness = SystemRandomness()
        // If the new key is in force already, opening the store also completes an interrupted rotation.
        if (try? KeyStore.check(new, in: folder.keys)) != nil {
            _ = try KeyStore(directory: folder.keys, master: new, randomness: randomness)
            return "the new master key is in force already"
        }
        let store = try KeyStore(directory: folder.keys, master: old, randomness: randomness)
        // The new master key cannot open earlier copies, so the note about the last copy is removed: checks of its age would accept such a
        // copy.
        let count = try store.rotate(to: new, removing: folder.keyBackupNote)
        return "\(count) data keys are wrapped by the new master key; the old one opens nothing here any more, and only it opens copies of "
            + "the keys from before: make a new copy (greentea-audit backup --data \(data) --in BACKUPS --keys COPY), then destroy those"
    }
}

/// `greentea key mend`: makes a damaged head page of the keys' file anew.
struct KeyMendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mend",
        abstract: "Mend keys of which one head page is damaged.",
        discussion: """
            For a stopped service, where `damagedKeys` names this command. The file of the keys has two head pages, of the last change \
            and of the one before. One that is damaged, or that names damaged pages, is made anew if the other one leads to whole \
            pages, and nothing else is changed. No master key is needed.

            Where the damaged page may have been that of the last change, that change may be lost, and the command says so: a key that \
            was made, a number that was changed, or an erasure, which the next start finishes. `greentea-audit doctor` then counts the \
            accounts without a key.

            EXAMPLES
              As the refused start has printed it:
                greentea key mend --keys ./data/keys

            EXIT CODES
              0   mended
              2   nothing was changed, with the reason and the remedy on standard error
              64  the command line is wrong
            """)

    @Option(help: ArgumentHelp("The folder of the keys: DATA/keys, or a copy of it.", valueName: "folder"))
    var keys: String

    func run() async throws {
        try await reportingRefusals {
            guard KeyStore.exists(in: keys) else { throw Refusal.noKeys(keys) }
            try FolderOwner.become(of: keys)
            guard let keepsAll = try KeyStore.mend(keys) else { throw Refusal.noHeadToMend(keys) }
            let loss = keepsAll ? "nothing is lost" : "only the very last change of the keys may be lost"
            try announce("mended: \(loss); now start the service")
        }
    }
}
