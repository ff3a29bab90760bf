internal import Foundation
internal import SwiftProtobuf
internal import Tracing

/// Spans in OpenTelemetry's protobuf form, for a collector.
struct OTLPEncoding: Sendable {
    /// Bytes of a span's name, or an attribute's name or text.
    static let textBytesMax = 256

    let version: String

    func bytes(_ spans: [FinishedSpan]) throws -> [UInt8] {
        var scope = Greentea_Otlp_ScopeSpans()
        (scope.scope.name, scope.scope.version) = ("greentea", version)
        scope.spans = spans.map(Self.message)
        var resource = Greentea_Otlp_ResourceSpans()
        resource.resource.attributes = [Self.attribute("service.name", "greentea"), Self.attribute("service.version", version)]
        resource.scopeSpans = [scope]
        var request = Greentea_Otlp_ExportTraceServiceRequest()
        request.resourceSpans = [resource]
        return try request.serializedBytes()
    }

    private static func message(_ span: FinishedSpan) -> Greentea_Otlp_SpanData {
        var message = Greentea_Otlp_SpanData()
        message.traceID = data(span.context.trace)
        message.spanID = data(span.context.span)
        if let parent = span.parent { message.parentSpanID = data(parent) }
        message.name = short(span.name)
        message.kind = number(of: span.kind)
        (message.startTimeUnixNano, message.endTimeUnixNano) = (span.startNanoseconds, span.endNanoseconds)
        span.attributes.forEach { name, value in message.attributes.append(attribute(name, value)) }
        message.attributes.sort { $0.key < $1.key }
        if span.isError { message.status.code = 2 }
        message.flags = 1
        return message
    }

    private static func data(_ number: some FixedWidthInteger) -> Data {
        Data(stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    private static func number(of kind: SpanKind) -> Int32 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func attribute(_ name: String, _ value: String) -> Greentea_Otlp_KeyValue {
        var attribute = Greentea_Otlp_KeyValue()
        (attribute.key, attribute.value.stringValue) = (short(name), short(value))
        return attribute
    }

    private static func attribute(_ name: String, _ value: SpanAttribute) -> Greentea_Otlp_KeyValue {
        var attribute = Greentea_Otlp_KeyValue()
        attribute.key = short(name)
        switch value {
        case .int32(let number): attribute.value.intValue = Int64(number)
        case .int64(let number): attribute.value.intValue = number
        case .double(let number): attribute.value.doubleValue = number
        case .bool(let flag): attribute.value.boolValue = flag
        case .string(let text): attribute.value.stringValue = short(text)
        default: attribute.value.stringValue = short(String(describing: value))
        }
        return attribute
    }

    private static func short(_ text: String) -> String {
        text.utf8.count <= textBytesMax ? text : String(decoding: text.utf8.prefix(textBytesMax), as: UTF8.self)
    }
}
