import Caches
import Foundation
import Patience
import Synchronization
import Testing

@testable import Images

/// The order of waiting jobs, and the limit beyond which they are refused.
@Suite(.timeLimit(.minutes(15))) struct PoolTests {
    /// Jobs that run one at a time and block until they are released.
    private final class Jobs: Sendable {
        private let pool = PicturePool(Shelf.program, processors: 2)
        private let begunJobs = Mutex<[PicturePool.Purpose]>([])
        /// All jobs block until this group is empty. So leaving the group releases all jobs.
        private let door = DispatchGroup()

        init() { door.enter() }

        var begun: [PicturePool.Purpose] { begunJobs.withLock { $0 } }
        var activity: PictureActivity { pool.activity }

        func letGo() { door.leave() }

        /// Submits a job.
        ///
        /// - Returns: true if the job was refused.
        func run(_ purpose: PicturePool.Purpose) async -> Bool {
            do throws(ImageError) {
                try await pool.run(for: purpose) { () throws(ImageError) in
                    self.begunJobs.withLock { $0.append(purpose) }
                    try? self.door.waitInTime("the test lets the jobs go on")
                }
                return false
            } catch { return true }
        }

        /// Waits until one job runs and `count` jobs wait.
        func lined(_ count: Int) async throws {
            try await eventually("one job runs and \(count) jobs wait") { activity.running == 1 && activity.waiting >= count }
        }
    }

    @Test("Ten accounts at one address that fill a queue leave an eleventh its place and its turn", arguments: [UInt128(1), 2])
    func crowd(_ address: UInt128) async throws {
        let jobs = Jobs()
        func run(_ account: UInt128, at address: UInt128) async -> Bool {
            await PoolClient.$current.withValue(PoolClient(PoolShare(account: account, address: address))) { await jobs.run(.upload) }
        }
        let isRefused = try await withThrowingTaskGroup(of: Void.self) { group in
            for count in 0...ImageLimits.waitingMax / 2 {
                group.addTask { _ = await run(UInt128(count % 10), at: 1) }
                try await jobs.lined(count)
            }
            async let refused = run(99, at: address)
            let most = ImageLimits.waitingMax / 2 + (address == 1 ? 0 : 1)
            try await eventually("the eleventh waits, and nobody else was added") {
                jobs.activity.waiting == most && (address == 2 || jobs.activity.refused[.queue] == 1)
            }
            jobs.letGo()
            let isRefused = await refused
            try await group.waitForAll()
            return isRefused
        }
        // On a slow machine, waiting jobs are refused when they have waited too long.
        #expect(!isRefused || jobs.begun.count == 1)
    }

    @Test("Crowds of uploads and of thumbnails do not take each other's waiting places", arguments: PicturePool.Purpose.allCases)
    func places(_ crowd: PicturePool.Purpose) async throws {
        let jobs = Jobs()
        let other: PicturePool.Purpose = crowd == .upload ? .thumbnail : .upload
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for count in 0...ImageLimits.waitingMax / 2 {
                group.addTask { await jobs.run(crowd) }
                try await jobs.lined(count)
            }
            #expect(await jobs.run(crowd), "all waiting places are taken")
            for count in 1...2 {
                group.addTask { await jobs.run(other) }
                try await jobs.lined(ImageLimits.waitingMax / 2 + count)
            }
            jobs.letGo()
            _ = try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        // On a slow machine a job may have waited too long. Such a job was refused and never began. Otherwise the pool began jobs of the
        // two purposes alternately, so the other purpose came second.
        let begun = jobs.begun
        if let first = begun.firstIndex(of: other) { #expect(first == 1) }
        // The pool's thread answers a job before it leaves it.
        try await eventually("no job runs or waits") { jobs.activity.running == 0 && jobs.activity.waiting == 0 }
    }
}
