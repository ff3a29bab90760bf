import HTTPTypes
import Hummingbird
import NIOCore
import WebPages

/// The routes of the files that pages load. The build compresses these files and embeds them in the program.
struct AssetRoutes {
    /// The paths of the files whose addresses have no hash of their content, because other programs know these addresses.
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
            // Files also need a policy: a service worker obeys the policy of its script, and a picture that is opened at its own address is
            // not under the policy of a page.
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

    /// Whether the client accepts gzip, with a weight above 0 (RFC 9110, 12.5.3). `*` stands for the codings that the header does not name,
    /// so its weight counts only if the header does not name gzip.
    ///
    /// A client that accepts neither gzip nor the plain bytes, as with `*;q=0`, gets the plain bytes: a server may send a default instead
    /// of the refusal 406 (RFC 9110, 15.5.7), and it is more useful.
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
