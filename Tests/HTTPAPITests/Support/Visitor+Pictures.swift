import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Loyalty
import LoyaltyCodec
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
        let reply = try await uploaded(number)
        #expect(reply.status == 201, "\(reply.text)")
        return try reply.string("id")
    }

    /// Uploads one of the two pictures and returns the answer.
    func uploaded(_ number: Int = 0, key: String? = nil) async throws -> Reply {
        let bytes = try #require(Data(base64Encoded: Self.pixels[number]))
        var fields: HTTPFields = [.contentType: "image/png", .authorization: "Bearer " + (token ?? "")]
        fields[.idempotencyKey] = key
        let reply = try await client.execute(uri: "/v1/images", method: .post, headers: fields, body: ByteBuffer(bytes: bytes)) {
            Reply($0)
        }
        transcript?.record(name, .post, "/v1/images", key, [:], "<image/png, \(bytes.count) bytes>", reply)
        return reply
    }
}

/// A picture's file as an older version of the service stored it: named by the digest of its bytes. So any bytes can be stored.
struct StoredFile: Sendable {
    let image: ImageID
    let path: String

    init(_ bytes: Data, on stage: Stage) throws {
        let name = SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let folder = stage.folder + "/blobs/" + name.prefix(2)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = folder + "/" + name
        try bytes.write(to: URL(fileURLWithPath: path))
        image = ImageID(try #require(UInt128(name.prefix(32), radix: 16)))
    }

    /// The path at which the API shows the picture.
    var address: String { "/v1/images/" + image.text }

    /// Returns bytes that begin like a PNG.
    static func bytes(_ count: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + (8..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }
    }

    /// The number of descriptors of this process that are open for the file, even if the file was removed.
    var descriptors: Int {
        get throws {
            let name = URL(fileURLWithPath: path).lastPathComponent
            return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
                return target?.contains(name) == true
            }
        }
    }
}
