import CommandService
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import SharedLogs
import Synchronization
import Testing

@testable import Composition

/// Three nodes in one process over one shared log. Nothing beats by itself: a test calls ``Node/step()``.
final class TestCluster {
    let engine = MemorySharedLog()
    let presence = MemoryPresence()
    let a, b, c: Node
    private let time = TestTime()
    private let clock = HandClock()
    private let services = Services()

    var nodes: [Node] { [a, b, c] }
    private var open: [Node] { nodes.filter(\.isOpen) }

    init(untrimmedBytes: ClosedRange<Int> = LogLimits.untrimmedBytesMin...LogLimits.untrimmedBytesMax) throws {
        // As `greentea cluster init` does.
        _ = try engine.claim(replacing: nil, as: Head(term: 1, writer: .a, process: 0, position: .start, root: .ofNothing))
        let place = Node.Place(
            engine: engine, presence: presence, time: time, clock: clock, services: services, untrimmedBytes: untrimmedBytes)
        (a, b, c) = (try Node("a", in: place), try Node("b", in: place), try Node("c", in: place))
    }

    /// Lets time pass for the services, and not for the rules.
    func moveClock(bySeconds seconds: Int64) { clock.move(bySeconds: seconds) }

    /// Lets time pass for the rules of all nodes.
    func pass(seconds: Double) { time.pass(seconds: seconds) }

    /// Lets nodes get these answers to questions for keys, or again the right ones.
    func answer(_ rows: Services.Rows?) { services.answer(rows) }

    /// Lets all nodes know the writer and each other. Without a writer, ``a`` becomes it.
    func meet() { for _ in 0..<2 { for node in open { node.step() } } }

    /// Waits until all open nodes have every event, and what it asks for.
    func settle() async throws {
        for node in open { try await eventually("\(node.name) has all events") { node.isCurrent(with: engine) } }
        for node in open { #expect(try node.service.log.root() == engine.heads.last?.root, "\(node.name)") }
    }
}

/// A node, which may be opened, closed and driven on plain threads only.
final class Node {
    /// The part of the cluster that all nodes share.
    struct Place: Sendable {
        let engine: MemorySharedLog
        let presence: MemoryPresence
        let time: TestTime
        let clock: HandClock
        let services: Services
        let untrimmedBytes: ClosedRange<Int>
    }

    let name: NodeName
    let folder: TemporaryFolder
    private let place: Place
    private var process: UInt64
    private var opened: GreenTea?

    fileprivate init(_ name: String, in place: Place) throws {
        (self.name, self.place, folder) = (try #require(NodeName(name)), place, try TemporaryFolder())
        process = UInt64(name.utf8.first ?? 0)
        try open()
    }

    deinit { try? close() }

    var isOpen: Bool { opened != nil }

    var service: GreenTea {
        guard let opened else { preconditionFailure("the node is closed") }
        return opened
    }

    var writes: Bool { service.clusterStatus?.role == .writer }

    var isStale: Bool { service.member?.isStale(now: place.time.now) ?? false }

    /// Why it cannot write, as it tells the others.
    var hindrance: String? { service.clusterStatus?.nodes.first { $0.name == "\(name)" }?.hindrance }

    fileprivate func isCurrent(with engine: MemorySharedLog) -> Bool {
        guard let head = engine.heads.last?.position, service.log.head == head else { return false }
        guard let status = service.place.following?.eventStatus else { return true }
        return [status.position, status.erasedThrough, status.sessionsEndedThrough].allSatisfy { $0 == head }
    }

    /// Opens the folder as another process.
    ///
    /// - Parameter configure: by default, nothing beats by itself, and no claim waits.
    func open(
        outcomeSecondsMax: Double = 300, duePeriodSeconds: Double? = nil, acceptsLostKeys: Bool = false, beatSeconds: Double? = nil,
        _ configure: @escaping @Sendable (inout ClusterParts) -> Void = { _ in }
    ) throws {
        process += 1_000
        let own = NodeNote(name: name, process: process, url: "\(name)", version: "1")
        let maker: ClusterMaker = { [place, presence] _, _ in
            var parts = ClusterParts(
                own: own, log: place.engine, presence: presence, beatSeconds: beatSeconds, outcomeSecondsMax: outcomeSecondsMax,
                untrimmedBytes: place.untrimmedBytes
            ) { DirectPeer(url: $0, services: place.services) }
            parts.settleSeconds = 0
            configure(&parts)
            return parts
        }
        var proving = ProvingOptions()
        (proving.origin, proving.acceptsLostKeys) = ("tea.example/log", acceptsLostKeys)
        let service = try GreenTea(
            data: DataFolder(folder.path), master: MasterSecret(bytes: Site.secret), clock: place.clock,
            randomness: SeededRandomness(seed: Seed.value &+ process), passwords: PasswordCost(log2N: 4), proving: proving,
            duePeriodSeconds: duePeriodSeconds, cluster: maker)
        opened = service
        place.services.set(service, at: "\(name)")
    }

    func close() throws {
        place.services.set(nil, at: "\(name)")
        defer { opened = nil }
        try opened?.close()
    }

    /// Copies the keys of the closed folder.
    func copyKeys() throws { try FileManager.default.copyItem(atPath: keys, toPath: keys + ".copy") }

    /// Opens the closed folder with the copy of its keys, as if it were a writer's.
    func openWithCopiedKeys() throws {
        try FileManager.default.removeItem(atPath: keys)
        try FileManager.default.moveItem(atPath: keys + ".copy", toPath: keys)
        try endFollowing()
        try open()
    }

    private var keys: String { DataFolder(folder.path).keys }

    private func endFollowing() throws {
        let master = try MasterSecret(bytes: Site.secret), randomness = SeededRandomness(seed: Seed.value)
        try KeyStore(directory: keys, master: master, randomness: randomness).endFollowing()
    }

    func step() { service.member?.step(now: place.time.now) }

    func wish(for node: Node) throws { try presence.wish(for: node.name) }

    private var presence: any Presence { place.presence.node(name, process: process) }
}

final class TestTime: Sendable {
    private let state = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { state.withLock { $0 } }

    func pass(seconds: Double) { state.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
}

/// The open services by their addresses.
final class Services: Sendable {
    typealias Rows = @Sendable ([AccountID], Position) throws -> [UInt8]

    private let state = Mutex((open: [String: GreenTea](), rows: Rows?.none))

    func set(_ service: GreenTea?, at url: String) { state.withLock { $0.open[url] = service } }

    func answer(_ rows: Rows?) { state.withLock { $0.rows = rows } }

    func service(at url: String) throws(EventLogError) -> GreenTea {
        guard let service = state.withLock({ $0.open[url] }) else { throw EventLogError(.unreachable, "injected") }
        return service
    }

    func rows(of holders: [AccountID], at url: String) throws -> [UInt8] {
        let (service, rows) = (try service(at: url), state.withLock { $0.rows })
        return try rows?(holders, service.log.head) ?? service.keyRows(of: holders)
    }
}

/// A node as the others see it.
private struct DirectPeer: PeerNode {
    let url: String
    let services: Services

    var head: Position? { try? services.service(at: url).log.head }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        throw EventLogError(.unreachable, "only the shared log has entries")
    }

    func checkpoint() throws(EventLogError) -> [UInt8] { throw EventLogError(.unreachable, "nobody asks") }

    func stop() {}

    func rows(of holders: [AccountID]) throws -> [UInt8] { try services.rows(of: holders, at: url) }

    func picture(_ image: ImageID) throws -> [UInt8]? { try services.service(at: url).pictureForNode(image) }

    func keep(rows: [UInt8], of holders: [AccountID], term: UInt64) throws {
        try services.service(at: url).keepRows(rows, of: holders, term: term)
    }

    func keep(picture: ImageID, _ file: [UInt8]) throws {
        try services.service(at: url).keepPicture(picture, file)
    }
}
