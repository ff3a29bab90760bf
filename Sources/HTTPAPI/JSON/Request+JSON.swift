import Hummingbird
import NIOCore

extension Request {
    /// Reads the body as JSON; unknown fields are ignored.
    ///
    /// - Parameter read: reads every field, even after an invalid one, so that the answer names all faults.
    /// - Throws: `unsupportedMediaType`, `tooLarge` or `invalidRequest`; ``TransportError`` if the body could not be read.
    func json<Body>(_ read: (inout FieldReader) -> Body) async throws -> Body { try Self.read(try await jsonBytes(), read) }

    /// Reads a missing body as an empty object.
    func optionalJSON<Body>(_ read: (inout FieldReader) -> Body) async throws -> Body {
        let bytes = try await jsonBytes()
        return try Self.read(bytes.isEmpty ? Array("{}".utf8) : bytes, read)
    }

    /// An empty body needs no media type: it is allowed, or itself the fault to report.
    private func jsonBytes() async throws -> [UInt8] {
        if let contentType = headers.text(of: .contentType) {
            guard ContentTypes.isJSON(contentType) else { throw Problem(.unsupportedMediaType) }
            return try await bodyBytes()
        }
        let bytes = try await bodyBytes()
        guard bytes.isEmpty else { throw Problem(.unsupportedMediaType) }
        return bytes
    }

    private func bodyBytes() async throws -> [UInt8] { try await bytes(atMost: Limits.bodyBytesMax) }

    /// - Throws: as ``collected(atMost:)``.
    func bytes(atMost bytesMax: Int) async throws -> [UInt8] { Array(try await collected(atMost: bytesMax).readableBytesView) }

    /// - Throws: `tooLarge`; `NIOTooManyBytesError`, which ``Problem`` maps to `tooLarge`; or ``TransportError``.
    func collected(atMost bytesMax: Int) async throws -> ByteBuffer {
        // Not read if declared too large. The connection ends with the answer.
        if let length = headers.text(of: .contentLength).flatMap({ Int($0) }), length > bytesMax { throw Problem(.tooLarge) }
        do {
            return try await body.collect(upTo: bytesMax)
        } catch let error as NIOTooManyBytesError {
            throw error
        } catch {
            throw TransportError(underlying: error)
        }
    }

    private static func read<Body>(_ bytes: [UInt8], _ read: (inout FieldReader) -> Body) throws(Problem) -> Body {
        let tree: JSONTree
        do {
            tree = try JSONParser.parse(bytes)
        } catch {
            throw .invalid("", .malformedJSON)
        }
        var fields = FieldReader(tree)
        let body = read(&fields)
        try fields.verdict()
        return body
    }
}

/// A body could not be read: the connection broke, sent invalid HTTP, or ``ConnectionGuard`` refused it. The route answers nothing.
struct TransportError: Error {
    let underlying: any Error
}

/// Refuses a body whose head declares it too large or compressed. Comes after `RateMiddleware`, so that each refusal uses up the client's
/// rate.
struct DeclaredBodyMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        try Self.requireSize(of: request)
        try Self.requirePlain(request)
        return try await next(request, context)
    }

    private static func requireSize(of request: Request) throws(Problem) {
        guard let length = request.headers.text(of: .contentLength).flatMap({ Int($0) }), length > Limits.bodyBytesMax else { return }
        // The pictures' route checks the size itself.
        if request.method != .post || !ImageRoutes.takesPictures(request.uri.path) { throw Problem(.tooLarge) }
    }

    /// A decompressed body could have any size.
    private static func requirePlain(_ request: Request) throws(Problem) {
        guard let coding = request.headers.text(of: .contentEncoding), coding.lowercased() != "identity" else { return }
        throw Problem(.unsupportedMediaType)
    }
}
