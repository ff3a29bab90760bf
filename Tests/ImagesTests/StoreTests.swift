import Crypto
import Foundation
import Loyalty
import Testing

@testable import Images

@Suite(.timeLimit(.minutes(15))) final class StoreTests {
    private let shelf = Shelf()
    private let now = Shelf.now

    private var folder: String { shelf.folder }
    private var store: ImageStore { shelf.store }

    private func blobs() -> [String] {
        let names = FileManager.default.enumerator(atPath: folder + "/blobs")?.compactMap { $0 as? String } ?? []
        return names.filter { $0.contains("/") }.sorted()
    }

    private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("A sender's picture is stored once, named by its id and the digest of the stored bytes", arguments: ImageFormat.allCases)
    func add(_ format: ImageFormat) async throws {
        let file = SamplePicture.file(format)
        let added = try await store.add(file, by: AccountID(1), at: now)
        #expect((added.width, added.height) == (64, 32))
        #expect(try await store.add(file, by: AccountID(1), at: now) == added)
        let shown = try #require(try await store.seen(added.id))
        let digest = hexadecimal(SHA256.hash(data: shown.bytes))
        let name = added.id.value.hexadecimal + digest
        #expect(shown.format == format && shown.tag == name)
        #expect(blobs() == ["\(name.prefix(2))/\(name)"])
        #expect(shown.name.content.value == UInt128(digest.prefix(32), radix: 16) && shown.name.id == added.id)
        #expect(store.has(added.id) && !store.has(ImageID(7)))
        #expect(try await store.seen(ImageID(7)) == nil)
    }

    @Test("The same bytes from two senders are two pictures with separate owners")
    func senders() async throws {
        let file = SamplePicture.file(.png)
        let one = try await store.add(file, by: AccountID(1), at: now).id
        let other = try await store.add(file, by: AccountID(2), at: now).id
        #expect(one != other && blobs().count == 2)
        let (own, others) = (try #require(store.name(of: one)), try #require(store.name(of: other)))
        #expect(own.hasSender && own.content == others.content)
        #expect(store.isSent(own, by: AccountID(1)) && !store.isSent(own, by: AccountID(2)) && store.isSent(others, by: AccountID(2)))
        #expect(!store.hold(one, by: AccountID(2), at: now))
    }

    @Test("A picture whose bytes have changed is not served once that is known, until it is put back or sent again")
    func damagedFile() async throws {
        let file = SamplePicture.file(.png)
        let id = try await store.add(file, by: AccountID(1), at: now).id
        let path = store.path(try #require(store.name(of: id)))
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(try store.missing([id]).isEmpty)
        for mend in ["put back", "sent again"] {
            try whole.dropLast().write(to: URL(filePath: path))
            #expect(try store.missing([id]) == [id])
            #expect(try await store.seen(id) == nil)
            if mend == "put back" {
                try whole.write(to: URL(filePath: path))
                #expect(try store.missing([id]).isEmpty)
            } else {
                _ = try await store.add(file, by: AccountID(1), at: now)
            }
            #expect(try await store.seen(id)?.bytes == Array(whole), "\(mend)")
        }
    }

    @Test("A folder that could not be listed once is listed again, so that its pictures do not stay missing")
    func unlistedFolder() async throws {
        let added = try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now).id
        let name = try #require(store.name(of: added))
        let (folder, away) = (store.folder(name), store.folder(name) + "-away")
        var names = PictureNames()
        try FileManager.default.moveItem(atPath: folder, toPath: away)
        #expect(names.name(of: added, in: folder) == nil)
        try FileManager.default.moveItem(atPath: away, toPath: folder)
        #expect(names.name(of: added, in: folder) == name)
    }

    @Test("Looking up pictures lists each folder at most once, and sees each picture that is added or removed")
    func lookUps() async throws {
        let added = try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now).id
        for _ in 0..<30 { #expect(store.has(added)) }
        #expect(store.listings == 1)
        for number in 0..<5_000 { #expect(!store.has(ImageID(UInt128(number) << 113 | 7))) }
        #expect(store.listings <= 256)
        // The store has already listed the folder of this picture, which did not contain the picture then.
        let file = SamplePicture.file(.png, width: 400)
        let listed = store.listings
        let later = try await store.add(file, by: AccountID(1), at: now)
        #expect(store.has(later.id) && store.listings <= listed + 1)
        #expect(try store.sweep(unusedSince: now.advanced(bySeconds: 1)) { $0.id == later.id ? .unused : .used } == 1)
        #expect(!store.has(later.id) && store.has(added))
        #expect(try await store.add(file, by: AccountID(1), at: now) == later)
        #expect(store.has(later.id))
        let name = try #require(store.name(of: later.id))
        try FileManager.default.removeItem(atPath: store.path(name))
        #expect(!store.has(later.id), "the file was removed by something else")
    }

    @Test("A file's name that is parsed and written again is the same, and gives the digest", arguments: [64, 96])
    func names(_ digits: Int) throws {
        let zeros = String(repeating: "0", count: digits)
        let ordered = String(repeating: "0123456789abcdef", count: digits / 16)
        for text in [zeros, String(zeros.dropLast()) + "f", ordered, String(ordered.reversed())] {
            let name = try #require(ImageName(text))
            #expect(name.text == text && hexadecimal(name.digest) == text.suffix(64))
            #expect(name.hasSender == (digits == 96) && name.id.value.hexadecimal == text.prefix(32))
        }
        for wrong in [String(zeros.dropLast()), zeros + "0", String(zeros.dropLast()) + "g", String(zeros.dropLast()) + "A"] {
            #expect(ImageName(wrong) == nil)
        }
    }

    @Test("A file renamed to another id belongs to no sender")
    func renamed() async throws {
        let added = try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now)
        let name = try #require(store.name(of: added.id))
        let (forged, forgedFolder) = (String(repeating: "a", count: 32) + name.text.suffix(64), folder + "/blobs/aa")
        try FileManager.default.createDirectory(atPath: forgedFolder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: folder + "/blobs/" + (try #require(blobs().first)), toPath: forgedFolder + "/" + forged)
        let found = try #require(store.name(of: ImageID(UInt128(String(repeating: "a", count: 32), radix: 16)!)))
        #expect(!store.isSent(found, by: AccountID(1)))
    }

    @Test("A picture named by its digest alone is shown and swept, and has no sender")
    func older() async throws {
        let file = SamplePicture.file(.png, width: 400)
        let name = SHA256.hash(data: file).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try FileManager.default.createDirectory(atPath: folder + "/blobs/" + name.prefix(2), withIntermediateDirectories: true)
        try Data(file).write(to: URL(fileURLWithPath: "\(folder)/blobs/\(name.prefix(2))/\(name)"))
        let id = ImageID(try #require(UInt128(name.prefix(32), radix: 16)))
        #expect(try await store.seen(id)?.bytes == file)
        #expect(try await store.seen(id, width: 160) != nil)
        let found = try #require(store.name(of: id))
        #expect(!found.hasSender && found.content == id && !store.isSent(found, by: AccountID(1)))
        #expect(!store.hold(id, by: AccountID(1), at: now))
        store.release(id)
        #expect(try store.sweep(unusedSince: now) { $0.id == id ? .unused : .used } == 1)
        #expect(blobs().isEmpty && thumbnailNames().isEmpty)
    }

    @Test("Thumbnails are made once and can be made again")
    func thumbnails() async throws {
        let added = try await store.add(SamplePicture.file(.jpeg, width: 400, height: 200), by: AccountID(1), at: now)
        let small = try #require(try await store.seen(added.id, width: 160))
        let header = try Picture.decoded(small.bytes).1
        #expect((header.width, header.height) == (160, 80))
        let original = try #require(try await store.seen(added.id))
        #expect(small.tag == original.tag + "-160")
        #expect(try await store.seen(added.id, width: 640) == original)
        let children = store.activity.children
        #expect(try await store.seen(added.id, width: 640) == original && store.activity.children == children, "no second child runs")
        try FileManager.default.removeItem(atPath: folder + "/derived")
        #expect(try await store.seen(added.id, width: 160) == small)
        #expect(try await store.seen(added.id, width: 160) == small)
        #expect(try await store.seen(ImageID(7), width: 160) == nil)
    }

    @Test("Unused pictures are deleted after a while together with their thumbnails")
    func sweep() async throws {
        let used = try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now)
        let unused = try await store.add(SamplePicture.file(.png, width: 400), by: AccountID(1), at: now)
        _ = try await store.seen(unused.id, width: 160)
        let stray = folder + "/blobs/ab"
        try FileManager.default.createDirectory(atPath: stray, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: stray + "/half.new"))
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: stray + "/half.new")
        #expect(try store.sweep(unusedSince: now) { $0.id == used.id ? .used : .unused } == 0)
        #expect(try store.sweep(unusedSince: now.advanced(bySeconds: 1)) { $0.id == used.id ? .used : .unused } == 1)
        #expect(store.has(used.id) && !store.has(unused.id))
        #expect(blobs().count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/derived/thumbnails").isEmpty)
        _ = try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now.advanced(bySeconds: 60))
        #expect(try store.sweep(unusedSince: now.advanced(bySeconds: 60)) { _ in .unused } == 0, "a picture sent again counts as new")
        struct Unreadable: Error {}
        #expect(throws: Unreadable.self) { try store.sweep(unusedSince: now.advanced(bySeconds: 600)) { _ in throw Unreadable() } }
        #expect(store.has(used.id))
    }

    @Test("A held picture is not removed, even if it is held during the sweep")
    func held() async throws {
        let added = try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now)
        let (day, next) = (now.advanced(bySeconds: 86_401), now.advanced(bySeconds: 2 * 86_400 + 2))
        // Simulates a race. The sweep finds no reference to the picture, because the event that refers to it is not in the log yet. But the
        // account holds the picture before the sweep removes it.
        let count = try store.sweep(unusedSince: day) { name in
            #expect(name.id == added.id && store.hold(added.id, by: AccountID(1), at: day))
            return .unused
        }
        #expect(count == 0 && store.has(added.id))
        #expect(try store.sweep(unusedSince: day) { _ in .unused } == 0, "a held picture counts as new")
        #expect(try store.sweep(unusedSince: next) { _ in .unused } == 1)
        #expect(!store.hold(added.id, by: AccountID(1), at: next) && !store.hold(ImageID(7), by: AccountID(1), at: next))
    }

    @Test("A released picture is removed at once with its thumbnails, unless it is shown or held")
    func released() async throws {
        let added = try await store.add(SamplePicture.file(.png, width: 400), by: AccountID(1), at: now)
        _ = try await store.seen(added.id, width: 160)
        try store.removeReleased([added.id, ImageID(7)]) { _ in .unused }
        #expect(store.has(added.id), "a picture that was not released stays")
        store.release(added.id)
        try store.removeReleased([added.id]) { _ in .used }
        #expect(store.has(added.id), "a picture that is shown stays")
        try store.removeReleased([added.id]) { _ in
            #expect(store.hold(added.id, by: AccountID(1), at: now))
            return .unused
        }
        #expect(store.has(added.id), "a picture that was held in time stays")
        store.release(added.id)
        #expect(
            try store.sweep(unusedSince: Instant(microseconds: 1)) { _ in .unused } == 1, "after a crash, a sweep removes the picture")
        #expect(blobs().isEmpty && thumbnailNames().isEmpty)
    }

    @Test("A picture that an operator took down is removed at any age and not accepted again")
    func takenDown() async throws {
        let file = SamplePicture.file(.png, width: 400)
        let added = try await store.add(file, by: AccountID(1), at: now)
        _ = try await store.seen(added.id, width: 160)
        let content = try #require(store.name(of: added.id)).content
        try store.removeReleased([added.id]) { _ in .takenDown }
        #expect(blobs().isEmpty && thumbnailNames().isEmpty)
        await #expect(throws: ImageError.takenDown) { try await store.add(file, by: AccountID(1), at: now) { $0 == content } }
        #expect(blobs().isEmpty)
        struct Unreadable: Error {}
        await #expect {
            try await store.add(file, by: AccountID(1), at: now) { _ in throw Unreadable() }
        } throws: {
            "\($0)".contains("Unreadable")
        }
        _ = try await store.add(file, by: AccountID(1), at: now)
        #expect(try store.sweep(unusedSince: now) { _ in .takenDown } == 1)
    }

    @Test("A picture that cannot be removed is reported, and all others are still removed")
    func unremovable() async throws {
        for width in [400, 300] { _ = try await store.add(SamplePicture.file(.png, width: width), by: AccountID(1), at: now) }
        var first: ImageName?
        let error = #expect(throws: ImageError.self) {
            try store.sweep(unusedSince: now) { name in
                // The first file is removed here, so the sweep fails to remove it.
                if first == nil { try FileManager.default.removeItem(atPath: store.path(name)) }
                first = first ?? name
                return .takenDown
            }
        }
        let gone = try #require(first)
        #expect("\(try #require(error))".contains(gone.text))
        #expect(blobs().isEmpty)
    }

    @Test("A thumbnail without its picture is removed")
    func orphans() async throws {
        let added = try await store.add(SamplePicture.file(.png, width: 400), by: AccountID(1), at: now)
        _ = try await store.seen(added.id, width: 160)
        try FileManager.default.removeItem(atPath: folder + "/blobs/" + (try #require(blobs().first)))
        #expect(thumbnailNames().count == 1)
        try store.sweep(unusedSince: now) { _ in .used }
        #expect(thumbnailNames().isEmpty)
    }

    @Test("A picture that is removed while it is shown can be read to its end, unless its file was closed")
    func removedWhileShown() async throws {
        let added = try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now)
        let shown = try #require(try await store.image(added.id))
        let bytes = try shown.bytes(in: 0..<shown.count)
        #expect(try shown.closed().bytes(in: 8..<20) == Array(bytes[8..<20]))
        try FileManager.default.removeItem(atPath: store.path(shown.name))
        #expect(try shown.bytes(in: 8..<shown.count) == Array(bytes[8...]))
        #expect(throws: ImageError.self) { try shown.closed().bytes(in: 8..<20) }
    }

    @Test("A thumbnail that a power failure left empty is made again")
    func emptyThumbnail() async throws {
        let added = try await store.add(SamplePicture.file(.jpeg, width: 400, height: 200), by: AccountID(1), at: now)
        let small = try #require(try await store.seen(added.id, width: 160))
        let file = folder + "/derived/thumbnails/" + (try #require(thumbnailNames().first))
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(try await store.seen(added.id, width: 160) == small)
        #expect(FileManager.default.contents(atPath: file).map(Array.init) == small.bytes)
    }

    private func thumbnailNames() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder + "/derived/thumbnails")) ?? []
    }

    @Test("If a picture is held and removed concurrently, exactly one succeeds")
    func race() async throws {
        let file = SamplePicture.file(.png)
        let store = store
        for round in 0..<50 {
            let time = now.advanced(bySeconds: Int64(round) * 200_000)
            let added = try await store.add(file, by: AccountID(1), at: time)
            let late = time.advanced(bySeconds: 86_401)
            async let removed = Task.detached { try store.sweep(unusedSince: late) { _ in .unused } }.value
            async let isHeld = Task.detached { store.hold(added.id, by: AccountID(1), at: late) }.value
            let (count, held) = (try await removed, await isHeld)
            #expect(held == store.has(added.id) && count == (held ? 0 : 1))
        }
    }

    @Test("Excess uploads are refused, and refused uploads leave no files")
    func refused() async throws {
        let store = store
        await #expect(throws: ImageError.unsupported) {
            try await store.add(Array("nonsense".utf8), by: AccountID(1), at: Instant(microseconds: 0))
        }
        await #expect(throws: ImageError.tooLarge) {
            let bomb = SamplePicture.pngHeader(width: 60_000, height: 60_000) + SamplePicture.chunk("IDAT", [])
            _ = try await store.add(bomb, by: AccountID(1), at: Instant(microseconds: 0))
        }
        #expect(blobs().isEmpty)
        let file = SamplePicture.file(.png, width: 2_000, height: 1_000)
        let results = await withTaskGroup(of: ImageError?.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do throws(ImageError) {
                        _ = try await store.add(file, by: AccountID(1), at: Instant(microseconds: 0))
                        return nil
                    } catch { return error }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.contains(nil) && results.allSatisfy { $0 == nil || $0 == .busy })
        #expect(blobs().count == 1)
        let activity = store.activity
        #expect(activity.waiting == 0 && activity.refused[.queue] == UInt64(results.count { $0 == .busy }))
    }

    @Test("A closed store accepts no picture and leaves no child")
    func closed() async throws {
        let (shelf, store, now) = (shelf, store, now)
        async let first = shelf.refusal(of: SamplePicture.file(.png, width: 2_000, height: 1_000))
        store.close()
        #expect([nil, .busy].contains(await first) && store.activity.running == 0)
        await #expect(throws: ImageError.busy) { try await store.add(SamplePicture.file(.png), by: AccountID(1), at: now) }
    }
}
