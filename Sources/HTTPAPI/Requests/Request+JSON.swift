import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The body, as JSON of one shape. Fields that the shape does not name are ignored.
    ///
    /// - Throws: `unsupportedMediaType`, `tooLarge`, `invalidRequest`.
    func json<Body: Decodable>(_ type: Body.Type) async throws -> Body {
        guard let contentType = headers[.contentType], ContentTypes.isJSON(contentType) else { throw Problem(.unsupportedMediaType) }
        return try Self.decode(type, from: try await bodyBytes())
    }

    /// As `json`, and `fallback` where there is no body at all.
    func optionalJSON<Body: Decodable>(_ type: Body.Type, orElse fallback: Body) async throws -> Body {
        if headers[.contentType] != nil { return try await json(type) }
        guard try await bodyBytes().readableBytes == 0 else { throw Problem(.unsupportedMediaType) }
        return fallback
    }

    private func bodyBytes() async throws -> ByteBuffer {
        // What says that it is too large is not read; the server lets it pass by and keeps the connection.
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > Limits.bodyBytesMax { throw Problem(.tooLarge) }
        do {
            return try await body.collect(upTo: Limits.bodyBytesMax)
        } catch let error as NIOTooManyBytesError {
            throw error
        } catch {
            throw TransportFailure(underlying: error)
        }
    }

    private static func decode<Body: Decodable>(_ type: Body.Type, from buffer: ByteBuffer) throws -> Body {
        let bytes = buffer.readableBytesView
        // Foundation would also read UTF-16 and UTF-32; in those, and in no valid JSON, is a zero byte.
        guard !bytes.contains(0) else { throw Problem.invalid("", "must be well-formed JSON in UTF-8") }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}
