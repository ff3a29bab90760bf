import Crypto
import Foundation
import Loyalty

@testable import Images

/// The picture store of one test. Its child processes run the `greentea` that was built with the tests. Their time limit is ten minutes,
/// because a machine that runs all tests at once is slow. The limits on memory and processor time are the usual ones.
final class Shelf: Sendable {
    static let now = Instant(microseconds: 1_700_000_000_000_000)
    static let program = PictureProgram(path: built, milliseconds: 600_000)
    /// The program built together with these tests.
    private static let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "greentea").path

    let folder: String
    let store: ImageStore

    init(_ program: PictureProgram = Shelf.program) {
        folder = FileManager.default.temporaryDirectory.path + "/greentea-images-" + UUID().uuidString
        store = ImageStore(blobs: folder + "/blobs", thumbnails: folder + "/derived/thumbnails", program: program, identify: Self.id)
    }

    /// Computes ids of pictures as the service does, but without the service's key.
    static let id: @Sendable ([UInt8], AccountID) -> ImageID = { digest, account in
        ImageID(digest: Array(SHA256.hash(data: digest + [UInt8(truncatingIfNeeded: account.value)])))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Adds a file and returns its refusal, or nil if it was accepted.
    func refusal(of file: [UInt8]) async -> ImageError? {
        do throws(ImageError) {
            _ = try await store.add(file, by: AccountID(1), at: Self.now)
            return nil
        } catch { return error }
    }
}

/// A picture with its bytes in memory, so that it can be compared.
struct SeenImage: Equatable {
    let format: ImageFormat
    let bytes: [UInt8]
    let tag: String
    let name: ImageName
}

extension ImageStore {
    /// Returns a picture or its thumbnail, as ``image(_:width:)`` does, with all of its bytes.
    func seen(_ id: ImageID, width: Int? = nil) async throws -> SeenImage? {
        guard let shown = try await image(id, width: width) else { return nil }
        return SeenImage(format: shown.format, bytes: try shown.bytes(in: 0..<shown.count), tag: shown.tag, name: shown.name)
    }
}
