import EventLog
import ReadModels

/// Whether requests should come here, and how far each read model is. Reasons are for the log, not for this page.
struct ReadinessAnswer: JSONWritable {
    let head: Position
    let isWriting: Bool
    /// Whether the last try to store a checkpoint went well.
    let isSigning: Bool
    let waitingCommands: Int
    let models: [ModelStatus]
    /// Names of models that are not what the log says.
    var mismatches: [String] = []

    var isReady: Bool { reasons.isEmpty }

    /// What does not keep requests away but wants somebody's attention: the older generation is right, and is followed.
    private var notRenewed: [(model: String, failure: ReadModelError)] {
        models.compactMap { model in model.renewalFailure.map { (model.name, $0) } }
    }

    /// Why it is not ready: a word, and the model that is to blame. What exactly happened is told to the log.
    private var reasons: [(code: String, model: String?)] {
        var reasons: [(code: String, model: String?)] = []
        if !isWriting { reasons.append(("writerStopped", nil)) }
        if !isSigning { reasons.append(("checkpointFailing", nil)) }
        for model in models {
            if model.failure != nil {
                reasons.append(("modelStopped", model.name))
            } else if model.lag > Limits.readyLagEventsMax {
                reasons.append(("modelBehind", model.name))
            }
        }
        return reasons + mismatches.map { ("modelMismatch", $0) }
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("status", isReady ? "ready" : "notReady")
            $0.array("reasons", reasons) { json, reason in
                json.object {
                    $0.field("code", reason.code)
                    $0.field("model", reason.model)
                }
            }
            $0.array("warnings", notRenewed) { json, warning in Self.write(warning.failure, of: warning.model, to: &json) }
            $0.field("position", head.rawValue)
            $0.field("writing", isWriting)
            $0.field("waitingCommands", waitingCommands)
            $0.array("models", models) { json, model in
                json.object {
                    $0.field("name", model.name)
                    $0.field("position", model.position.rawValue)
                    $0.field("lag", model.lag)
                    $0.field("stalled", model.hasStalled)
                    $0.field("stale", model.renewalFailure != nil)
                }
            }
        }
    }

    /// The class of the failure, its place and what to do: nothing that somebody stored or a path could stand in.
    private static func write(_ failure: ReadModelError, of model: String, to json: inout JSONWriter) {
        json.object {
            $0.field("code", "modelNotRenewed")
            $0.field("model", model)
            $0.field("cause", failure.code.description)
            $0.field("position", failure.position.map { Int(clamping: $0.rawValue) })
            $0.field("event", failure.eventType)
            $0.field("remedy", failure.remedy)
        }
    }
}

extension ModelStatus {
    fileprivate var hasStalled: Bool { failure != nil || lag > Limits.readyLagEventsMax }
}
