import Crypto
import Foundation
import Loyalty

@testable import Images

/// A store of one test, whose children are those of the built `greentea`. They may take minutes by the clock, since a machine that runs
/// all tests at once has little time for one of them; memory and processor are limited as ever.
final class Shelf: Sendable {
    static let now = Instant(microseconds: 1_700_000_000_000_000)
    static let program = PictureProgram(path: built, milliseconds: 600_000)
    /// The program that was built together with these tests.
    private static let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "greentea").path

    let folder: String
    let store: ImageStore

    init(_ program: PictureProgram = Shelf.program) {
        folder = FileManager.default.temporaryDirectory.path + "/greentea-images-" + UUID().uuidString
        store = ImageStore(blobs: folder + "/blobs", thumbnails: folder + "/derived/thumbnails", program: program, identify: Self.id)
    }

    /// Like the service's, without its key.
    static let id: @Sendable ([UInt8], AccountID) -> ImageID = { digest, account in
        ImageID(digest: Array(SHA256.hash(data: digest + [UInt8(truncatingIfNeeded: account.value)])))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// What becomes of a file: nil for a picture.
    func refusal(of file: [UInt8]) async -> ImageError? {
        do throws(ImageError) {
            _ = try await store.add(file, by: AccountID(1), at: Self.now)
            return nil
        } catch { return error }
    }
}
