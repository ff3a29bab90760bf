import Composition
import EventLog
import Logging
import LoyaltyCodec
import ServiceLog

/// Logs what an operator must know of a service that has been opened, before anybody uses it.
struct StartReports {
    let service: GreenTea
    let settings: ServiceConfiguration
    let logger: Logger

    func report() {
        reportCheckpoint()
        reportEmptyLog()
        reportLackingKeys()
        reportAddress()
    }

    private func reportCheckpoint() {
        logger.report(.checkpointSigning, at: .notice, "checkpoints are signed", ["key": "\(service.checkpoints.verifierKey)"])
        switch service.checkpoints.opening {
        case .first, .continued: break
        case .missing:
            logger.report(
                .checkpointMissing, at: .warning, "the log has events, and no checkpoint was kept: nothing shows whether it lost its end",
                [
                    "remedy": """
                    Nothing to do where the log never had one. Else compare with a copy, of a backup or as the service showed it at \
                    /checkpoint: `greentea-audit verify --data \(settings.data) --checkpoint COPY`. Where it finds fault, stop, and \
                    restore.
                    """
                ])
        case .replaced(let path, let reason):
            logger.report(
                .checkpointReplaced, at: .warning, "an older log was accepted; its checkpoint was set aside",
                ["path": "\(path)", "was": "\(reason)"])
        }
    }

    /// An operator who mistyped the data folder's path might think that all data is lost, or serve customers without backups.
    private func reportEmptyLog() {
        guard service.log.head == .start else { return }
        logger.report(
            .logBegun, at: settings.isDevelopment ? .notice : .warning,
            "the log has no event: a new shop begins here. If this shop has customers already, stop: --data names the wrong folder",
            ["data": "\(settings.data)"])
        // The operator can delete an empty log, but a log keeps its name for ever.
        guard settings.proving.origin == nil, !settings.isDevelopment else { return }
        let remedy = "to name it, stop before anybody registers, remove the data folder and start with --origin"
        logger.report(
            .originMissing, at: .warning, "no --origin: the new log has named itself, for ever, in each receipt; \(remedy)",
            ["origin": "\(service.log.origin)"])
    }

    /// Warns, before anybody signs in, that the newest accounts have no keys: their owners' sign-ins create new accounts.
    private func reportLackingKeys() {
        // The warning is only advice, so an error does not prevent the start. `greentea-audit verify` reports a damaged record.
        guard let lacking = try? service.lackingKeys, lacking.count > 0 else { return }
        let remedy = "if there is a newer copy of the keys, stop, and put it in their place; greentea-audit doctor has the command"
        let effect = "whoever of them signs in gets a new account"
        logger.report(
            .keysOlder, at: .warning,
            "accounts of the log have no key here: the keys are a copy from before they registered, and \(effect)",
            ["accounts": "\(lacking.count)", "registeredSince": "\(lacking.registeredSince)", "remedy": "\(remedy)"])
    }

    private func reportAddress() {
        guard !settings.isDevelopment else {
            return logger.report(
                .developmentMode, at: .notice, "development mode: sign-in codes are shown in answers; listening on loopback only")
        }
        guard settings.publicURL == nil else { return }
        let paper = "at a loopback address, localhost or 0.0.0.0, paper cards cannot be printed"
        logger.report(
            .publicURLMissing, at: .warning,
            "no --public-url: codes and links begin with the address that is listened on, which others may not reach; \(paper)")
    }
}
