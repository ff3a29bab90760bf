import HTTPTypes
import Hummingbird
import NIOCore
import WebPages

/// The routes of the files that pages load, compressed and embedded by the build.
struct AssetRoutes {
    /// Paths without a hash, because other programs know them.
    private static let fixed = Asset.all.values.filter(\.isFixed).map(\.path).sorted()

    var routes: [Route] {
        Self.fixed.map { path in .get(path) { request, _ in try Self.answer(path, to: request) } } + [
            .get(Asset.folder + "{name}") { request, context in
                guard let name = context.parameters.get("name") else { throw Problem(.notFound) }
                return try Self.answer(Asset.folder + name, to: request)
            }
        ]
    }

    private static func answer(_ path: String, to request: Request) throws -> Response {
        guard let asset = Asset.all[path] else { throw Problem(.notFound) }
        var (bytes, tag) = (asset.plain, asset.entityTag)
        var headers: HTTPFields = [
            .contentType: asset.contentType, .xContentTypeOptions: "nosniff", .vary: "Accept-Encoding",
            .cacheControl: asset.isFixed ? "no-cache" : "public, max-age=31536000, immutable", .crossOriginResourcePolicy: "same-origin",
            // A service worker obeys its script's policy, and a picture opened by itself is under no page's policy.
            .contentSecurityPolicy: WebPage.securityPolicy,
        ]
        if let packed = asset.packed, acceptsGzip(request) {
            (bytes, tag) = (packed, asset.packedEntityTag)
            headers[.contentEncoding] = "gzip"
        }
        headers[.eTag] = tag
        if EntityTag.isKnown(tag, by: request) {
            headers[.contentEncoding] = nil
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// RFC 9110, 12.5.3: a weight above 0; `*` counts only if gzip is not named. A client that accepts neither gzip nor plain bytes, as
    /// with `*;q=0`, gets plain bytes instead of 406 (15.5.7).
    static func acceptsGzip(_ request: Request) -> Bool {
        var weights: [Substring: Double] = [:]
        for coding in (request.headers[.acceptEncoding] ?? "").lowercased().split(separator: ",") {
            let parts = coding.split(separator: ";").map(\.trimmingSpaces)
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            weights[name] = weight
        }
        return (weights["gzip"] ?? weights["*"] ?? 0) > 0
    }
}
