import EventLog
import ReadModels

/// Whether requests should come here, and how far each read model is. Reasons are for the log, not for this page.
struct ReadinessAnswer: JSONWritable {
    let head: Position
    let isWriting: Bool
    let waitingCommands: Int
    let models: [ModelStatus]

    var isReady: Bool { isWriting && models.allSatisfy { !$0.hasStalled } }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("status", isReady ? "ready" : "notReady")
            $0.field("position", head.rawValue)
            $0.field("writing", isWriting)
            $0.field("waitingCommands", waitingCommands)
            $0.array("models", models) { json, model in
                json.object {
                    $0.field("name", model.name)
                    $0.field("position", model.position.rawValue)
                    $0.field("lag", model.lag)
                    $0.field("stalled", model.hasStalled)
                }
            }
        }
    }
}

extension ModelStatus {
    fileprivate var hasStalled: Bool { failure != nil || lag > Limits.readyLagEventsMax }
}
