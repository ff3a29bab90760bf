import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Pictures for tests.
extension Visitor {
    /// One dark and one light pixel, as PNG files in base64.
    static let pixels = [
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGPQAAAAKgApazFUcwAAAABJRU5ErkJggg==",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGM4AQAAygDJmcpdfgAAAABJRU5ErkJggg==",
    ]

    /// Uploads one of the two pictures.
    ///
    /// - Returns: the picture's ID.
    func picture(_ number: Int = 0) async throws -> String {
        let bytes = try #require(Data(base64Encoded: Self.pixels[number]))
        let fields: HTTPFields = [.contentType: "image/png", .authorization: "Bearer " + (token ?? "")]
        let reply = try await client.execute(uri: "/v1/images", method: .post, headers: fields, body: ByteBuffer(bytes: bytes)) {
            Reply($0)
        }
        transcript?.record(name, .post, "/v1/images", nil, [:], "<image/png, \(bytes.count) bytes>", reply)
        #expect(reply.status == 201, "\(reply.text)")
        return try reply.string("id")
    }
}
