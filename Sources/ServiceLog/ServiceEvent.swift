public import Logging

/// The stable names of logged events. Alerts may rely on them: a name never gets another meaning. The runbook explains each.
public enum ServiceEvent: String, CaseIterable, Sendable {
    case serverStarting = "server.starting"
    case serverStarted = "server.started"
    case serverStopping = "server.stopping"
    case serverStopped = "server.stopped"
    /// The last line of a process that ends with an error, in the JSON form.
    case serverFailed = "server.failed"
    case announceFailed = "server.announceFailed"
    case developmentMode = "server.developmentMode"
    case settingNoted = "settings.noted"
    case publicURLMissing = "settings.noPublicUrl"
    case originMissing = "settings.noOrigin"
    case forwardedForIgnored = "settings.forwardedForIgnored"
    case descriptorsFew = "limits.descriptorsFew"

    /// A new reason or warning of `/readyz`, by `code`.
    case faultBegan = "fault.began"
    case faultEnded = "fault.ended"

    /// The log is empty at the start: a new service, or a wrong data folder.
    case logBegun = "log.begun"

    /// The newest accounts have no encryption keys, so the stored keys are an older copy than the log.
    case keysOlder = "keys.older"

    /// A page or row of the log or keys is damaged.
    case fileDamaged = "file.damaged"

    case checkpointSigning = "checkpoint.signing"
    case checkpointMissing = "checkpoint.missing"
    case checkpointReplaced = "checkpoint.replaced"
    case checkpointFailed = "checkpoint.failed"

    case modelStopped = "model.stopped"
    case modelResumed = "model.resumed"
    case modelRemoved = "model.removed"
    case modelDamaged = "model.damaged"
    case modelRemade = "model.remade"
    case modelNotRenewed = "model.notRenewed"
    case modelMismatch = "model.mismatch"
    case modelDiagnosed = "model.diagnosed"
    case modelMended = "model.mended"
    case auditFailed = "audit.failed"
    case auditFinished = "audit.finished"

    /// Another server's log, keys or pictures cannot be copied for now.
    case followFailed = "follow.failed"
    case followResumed = "follow.resumed"

    /// A node of a cluster writes, or another one does.
    case clusterWriting = "cluster.writing"
    case clusterFollowing = "cluster.following"
    /// The writer cannot remove entries from etcd.
    case clusterTrimFailed = "cluster.trimFailed"

    case indexRemoved = "index.removed"
    case indexFailed = "index.failed"
    case indexResumed = "index.resumed"
    case indexDamaged = "index.damaged"
    case readersCleared = "readers.cleared"
    case readerHoldsLog = "readers.holdsLog"
    case mapNearlyFull = "map.nearlyFull"
    case clockSetBack = "clock.setBack"
    case clockSetAhead = "clock.setAhead"
    case clockCaughtUp = "clock.caughtUp"
    case imagesSwept = "images.swept"
    case imagesNotSwept = "images.notSwept"
    case imagesMissing = "images.missing"

    case requestAnswered = "request.answered"
    case requestFailed = "request.failed"
    case textMessageFailed = "textMessage.failed"
    case connectionsRefused = "connections.refused"
    case connectionsCutOff = "connections.cutOff"
    case acceptFailed = "connections.acceptFailed"
    case bodiesRefused = "requests.bodiesRefused"

    case tracesStarted = "traces.started"
    case tracesFailing = "traces.failing"
    case tracesResumed = "traces.resumed"

    /// A line that a library has logged.
    case library
}

extension Logger {
    static let eventKey = "event"

    /// Logs one event.
    public func report(
        _ event: ServiceEvent, at level: Level, _ message: @autoclosure () -> Message, _ metadata: @autoclosure () -> Metadata = [:]
    ) {
        log(level: level, message(), metadata: metadata().merging([Self.eventKey: .string(event.rawValue)]) { $1 })
    }
}
