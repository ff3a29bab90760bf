import EventLog
import Histories
import Loyalty
import Synchronization

@testable import Audit
@testable import Projections
@testable import ReadModels

extension AuditSample {
    /// The auditor's final result, and the reports that it sent before.
    struct Audited {
        let status: AuditStatus
        let news: [AuditNews]

        /// The result for the first model.
        var first: AuditedModel? { status.models.first }
    }

    /// Audits the models in their folders once.
    ///
    /// - Parameter stretch: the number of events between two comparisons while the auditor narrows down a difference.
    func audited(_ models: [any Projection.Type], discovery: Bool = false, stretch: UInt64? = nil) throws -> Audited {
        let log = try data.log(.readOnly)
        let told = Told()
        let auditor = ShadowAuditor(subject(models, log, discovery: discovery, stretch: stretch), log: log, schedule: .off) {
            told.add($0)
        }
        auditor.run()
        return Audited(status: auditor.status, news: told.all)
    }

    func subject(
        _ models: [any Projection.Type], _ log: EventLog, discovery: Bool = false, stretch: UInt64? = nil
    ) -> ShadowAuditor.Subject {
        ShadowAuditor.Subject(
            comparison: Comparison(models: data.models, log: log), models: models, discovery: discovery ? data.models : nil,
            bisection: bisection(log, stretch: stretch))
    }

    func bisection(_ log: EventLog, stretch: UInt64? = nil) -> Bisection {
        Bisection(models: data.models, scratch: data.derived + "/audit/test", log: log, stretch: stretch)
    }

    /// Returns the positions of about `count` events of these types, with the first and the last one among them.
    func positions(of types: Set<String>, count: Int) -> [UInt64] {
        let all = history.facts.filter { types.contains("\($0.event)".prefix { $0 != "(" }.description) }.map(\.position)
        let step = max(1, all.count / count)
        return Array(Set(stride(from: 0, to: all.count, by: step).map { all[$0] } + all.suffix(1))).sorted()
    }
}

/// Collects the auditor's reports from any thread.
final class Told: Sendable {
    private let news = Mutex<[AuditNews]>([])

    func add(_ one: AuditNews) { news.withLock { $0.append(one) } }

    var all: [AuditNews] { news.withLock { $0 } }
}
