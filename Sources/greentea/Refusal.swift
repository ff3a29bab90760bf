import ArgumentParser
import CommandService
import Console
import HTTPAPI

/// The reasons why `greentea` does not start or continue, with their remedies.
enum Refusal: Error, CustomStringConvertible {
    /// Each missing setting, with the ways to set it.
    case notConfigured([String])
    case badConfiguration(String, String)
    case noKeys(String)
    case noKeyFile(String)
    case noHeadToMend(String)
    /// The setting would let other people read secrets or personal data.
    case exposed(String, remedy: String)
    case unusableFolder(path: String, reason: String, remedy: String)
    /// No log may begin in the folder, for the second value's reason.
    case noDataFolder(String, String)
    /// Root would create files in another user's folder.
    case foreignFolder(String, command: String)
    /// The folder, which is not a copy of the server's that is to be followed.
    case nothingToFollowWith(String)
    case followingStopped(String, inCluster: Bool)
    case developmentBeyondLoopback(String)
    case cannotListen(address: String, reason: String)
    case unknownHost(String)
    case writerStopped(String, storedNothing: Bool)
    /// Every request for a key fails until a restart.
    case keysLockOverwritten(String)
    case unreadableSecret(path: String, reason: String)
    /// The folder has keys: it was created without `--dev`, or lost the secret's file.
    case noDevelopmentSecret(path: String)
    case tooFewDescriptors(Int, peers: Int)
    case notServed(String)
    case closedSettings(String)

    var description: String {
        switch self {
        case .notConfigured(let missing):
            "not configured is " + missing.joined(separator: "; nor ") + ". Each may be a flag, a variable or a line of a file; or start "
                + "with --dev, on loopback, to try things out."
        case .badConfiguration(let what, let reason):
            "\(what) is not as it must be: \(reason). `greentea config` shows where each setting comes from."
        case .noKeys(let path):
            "there are no keys in \(path): name the data folder that the service was started with."
        case .noHeadToMend(let path):
            "nothing was changed in \(path): its head pages are whole, or it has other damage. Where a start says `damagedKeys`, do what "
                + "it says; the runbook has more under damagedKeys."
        case .noKeyFile(let path):
            "there is no key file \(path). Name the one that this data folder was made with; for a new folder make one: "
                + "(umask 077; greentea key new > FILE)."
        case .exposed(let what, let remedy): "refused: \(what). \(remedy)"
        case .unusableFolder(let path, let reason, let remedy): "the data folder \(path) cannot be used: \(reason). \(remedy)"
        case .noDataFolder(let path, let reason):
            "\(path) is no data folder: \(reason). Name the shop's own folder with --data; for a new shop, an empty one or one that does "
                + "not exist."
        case .foreignFolder(let path, let command):
            "the data folder \(path) is another user's, and files that root makes in it are closed to that user. Start the unit, or run: "
                + command
        case .nothingToFollowWith(let path):
            "\(path) has no log with its keys. A server that follows another one begins with a copy of its folder: "
                + "`greentea-audit restore --from BACKUP --keys COPY --data \(path)`."
        case .followingStopped(let reason, let inCluster):
            "copying \(inCluster ? "the cluster's shared" : "another server's") log stopped for good: \(reason)"
        case .developmentBeyondLoopback(let address):
            "--dev shows sign-in codes to whoever asks, so it listens on loopback only, not on \(address). Use 127.0.0.1 or [::1]."
        case .cannotListen(let address, let reason):
            "cannot listen on \(address): \(reason). Stop whatever uses it, or choose another with --listen HOST:PORT; port 0 takes a "
                + "free one."
        case .unknownHost(let address):
            "cannot listen on \(address): nobody knows a host of that name. Choose an address of this machine with --listen HOST:PORT, "
                + "such as 127.0.0.1:8080 or 0.0.0.0:8080."
        case .writerStopped(let reason, storedNothing: true): "the writer stopped for good: \(reason)"
        case .writerStopped(let reason, storedNothing: false):
            "the writer stopped for good, the outcome of its last commit is unknown: \(reason) Restart: what reached the disk stands, "
                + "and a retry with the same Idempotency-Key tells which."
        case .keysLockOverwritten(let detail):
            "\(detail) while this process had it open, so no key could be read. Restart, which makes that file anew: nothing is lost. Then "
                + "look for what wrote there; the runbook has more under lockDamaged."
        case .tooFewDescriptors(let count, let peers):
            "this process may open \(count) files, and needs "
                + "\(ConnectionCaps.descriptorsMin + ConnectionCaps.descriptors(forPeers: peers)) at least: set the limit to "
                + "\(ConnectionCaps.descriptorsWanted + ConnectionCaps.descriptors(forPeers: peers)) or more "
                + "(ulimit -n; LimitNOFILE= of a systemd unit)."
        case .notServed(let path):
            "no server runs on \(path). `greentea config` without --running shows the settings that a start would use."
        case .closedSettings(let path):
            "the settings of the running server, \(path), cannot be read: run it as the user of the service or as root."
        case .unreadableSecret(let path, let reason):
            "the master key \(path) cannot be used: \(reason). Put back the file that belongs to this data folder."
        case .noDevelopmentSecret(let path):
            "there is no master key \(path), and the folder holds keys made with one. Where the folder was used without --dev, give its "
                + "key with --master-key-file FILE; where it was made with --dev, put back that file."
        }
    }

    /// The exit code, with which systemd and scripts distinguish what a restart mends.
    var exitCode: Int32 {
        switch self {
        case .writerStopped, .followingStopped, .keysLockOverwritten: Self.restartCode
        default: 2
        }
    }

    /// Makes systemd start the service again.
    static let restartCode: Int32 = 3
}

/// Prints an error of `work` on standard error, and throws an `ExitCode`.
func reportingRefusals(_ work: () async throws -> Void) async throws {
    StandardStreams.prepare()
    do {
        try await work()
    } catch let error as ExitCode {
        throw error
    } catch {
        let code = (error as? Refusal)?.exitCode ?? (WriterEnd.isOutOfSpace(error) ? Refusal.restartCode : 2)
        LogSettings.writeLast("greentea: \(error)", exitCode: code)
        throw ExitCode(code)
    }
}

/// Flushes the output at once.
func announce(_ line: String) throws(OutputError) { try StandardOutput.say(line) }
