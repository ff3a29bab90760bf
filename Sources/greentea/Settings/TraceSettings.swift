import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle
import ServiceLog
import Traces

/// The destination of traces, and the recorded fraction of those that begin here.
struct TraceSettings {
    let url: String
    let ratio: Double

    private static let path = "/v1/traces"

    init?(_ settings: SettingsInForce) throws(SettingFault) {
        ratio = settings.ratio(.traceRatio) ?? 1
        guard (0...1).contains(ratio) else { throw SettingFault(.traceRatio, "it must be 0 to 1") }
        guard let text = settings.text(.otlpTraces) else { return nil }
        guard WebAddress(text: text).isBase, var parts = URLComponents(string: text), let host = parts.host else {
            throw SettingFault(.otlpTraces, "it must be an https:// URL with a host and no query, or an http:// URL of this machine")
        }
        guard parts.scheme?.lowercased() == "https" || ListenAddress(host: Self.bare(host), port: 0).isLoopback else {
            throw SettingFault(.otlpTraces, "over http:// traces go to this machine only; use https://")
        }
        if parts.path.isEmpty || parts.path == "/" { parts.path = Self.path }
        url = parts.string ?? text
    }

    private static func bare(_ host: String) -> String { host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")) }
}

/// The tracer, and the service that sends spans to the collector.
struct TracingParts {
    let tracer: OTLPTracer
    let export: TraceExport

    init(_ settings: TraceSettings, metrics: any MetricsFactory, version: String, _ logger: Logger) {
        let queue = SpanQueue(metrics: metrics)
        tracer = OTLPTracer(queue: queue, ratio: settings.ratio)
        let exporter = OTLPExporter(url: settings.url, queue: queue, version: version) { news in
            switch news {
            case .failing(let cause):
                logger.report(.tracesFailing, at: .warning, "the collector does not take spans; they are dropped", ["cause": "\(cause)"])
            case .resumed: logger.report(.tracesResumed, at: .notice, "the collector takes spans again")
            }
        }
        export = TraceExport(exporter: exporter)
        logger.report(
            .tracesStarted, at: .notice, "traces are sent to a collector", ["url": "\(settings.url)", "ratio": "\(settings.ratio)"])
    }
}

struct TraceExport: Service {
    let exporter: OTLPExporter

    func run() async throws {
        await cancelWhenGracefulShutdown { await exporter.run() }
        // All services of the group end when one returns.
        try? await gracefulShutdown()
    }
}
