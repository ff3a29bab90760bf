import Audit
import CommandService
import Composition
import EventLog
import Foundation
import Hummingbird
import HummingbirdTesting
import Images
import Logging
import LoyaltyCodec
import Prometheus
import Testing
import TextMessages

@testable import HTTPAPI

/// A service with its API, in a temporary folder of its own.
final class Stage: Sendable {
    static let publicURL = "https://greentea.example"
    /// The account with this phone number is an operator.
    static let operatorPhone = "+8613800138000"
    static let secret = Array<UInt8>(repeating: 7, count: 32)

    /// The separate program that decodes pictures, because the test program cannot decode them itself. Decoding may take minutes, because
    /// all other tests run at the same time.
    private static let pictures = PictureProgram(
        path: URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "greentea").path, milliseconds: 600_000)

    let folder: String
    let clock: TestClock
    let service: GreenTea
    let api: API
    private let logger: Logger

    init(
        folder: String? = nil, clock: TestClock = TestClock(), randomness: any Randomness = SystemRandomness(),
        isDevelopment: Bool = true, logsAccess: Bool = false, messages: (any TextMessageSender)? = nil, trustedProxies: Int = 0,
        rates: RequestRates? = nil, messageLimits: MessageLimits = MessageLimits(),
        logger: Logger = Logger(label: "tests", factory: { _ in SwiftLogNoOpLogHandler() }),
        audit: (@Sendable () -> AuditStatus)? = nil, configure: (inout API.Configuration) -> Void = { _ in }
    ) throws {
        self.folder = folder ?? Self.newFolder()
        self.clock = clock
        self.logger = logger
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        let metrics = PrometheusRegistry()
        service = try GreenTea(
            data: DataFolder(self.folder), master: try MasterSecret(bytes: Self.secret), clock: clock, randomness: randomness,
            passwords: PasswordCost(log2N: 4), operators: [try #require(E164Number(Self.operatorPhone))], metrics: metrics,
            pictures: Self.pictures)
        var configuration = API.Configuration(isDevelopment: isDevelopment, publicURL: Self.publicURL, logsAccess: logsAccess)
        (configuration.messages, configuration.trustedProxies) = (messages, trustedProxies)
        configuration.audit = audit
        configuration.requestRates = rates
        // In development no text messages are sent, so there are no limits on them, as in the command `serve`.
        configuration.messageLimits = isDevelopment && messages == nil ? nil : messageLimits
        configure(&configuration)
        api = try API(service: service, configuration: configuration, logger: logger, metrics: metrics)
    }

    static func newFolder() -> String {
        FileManager.default.temporaryDirectory.path + "/greentea-http-" + UUID().uuidString
    }

    /// The position of the log's last event. A rejected request must not change it.
    var head: UInt64 { service.log.head.rawValue }

    /// The API as an application that tests call without a network.
    var application: some ApplicationProtocol {
        Application(router: api.router(), logger: logger)
    }

    /// Closes the service and keeps its folder.
    func close() {
        // Errors on closing are ignored. A problem with the files would already have made the test fail.
        try? service.close()
    }

    /// Closes the service and deletes its folder.
    func strike() {
        close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Runs a test against a fresh service.
func onStage(
    _ stage: @autoclosure @Sendable () throws -> Stage = try Stage(), _ body: @Sendable (Stage, Visitor) async throws -> Void
) async throws {
    try await Places.take {
        let stage = try stage()
        defer { stage.strike() }
        try await stage.perform(body)
    }
}

/// Runs the part of a test that precedes a restart of the service. Then closes the service, and keeps its folder for the next `onStage`.
func beforeRestart<Value: Sendable>(
    in folder: String, clock: TestClock, _ body: @Sendable (Stage, Visitor) async throws -> Value
) async throws -> Value {
    try await Places.take {
        let stage = try Stage(folder: folder, clock: clock)
        defer { stage.close() }
        return try await stage.perform(body)
    }
}

extension Stage {
    /// Runs requests against this service.
    func perform<Value: Sendable>(_ body: @Sendable (Stage, Visitor) async throws -> Value) async throws -> Value {
        try await application.test(.router) { client in
            try await body(self, Visitor(client: client))
        }
    }
}
