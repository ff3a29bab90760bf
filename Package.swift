// swift-tools-version: 6.3
// The targets are the layers. A target may depend only on targets that are listed before it. The tool greentea-tidy reads this list, and
// checks the imports in the sources against it.
import PackageDescription

/// The compiler settings of all targets: features of the next language mode are enabled early, unsafe code must be marked, and a warning is
/// an error.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Declares a layer: a library target with its sources in `Sources/NAME`.
func layer(
    _ name: String, on dependencies: [Target.Dependency] = [], excluding: [String] = [], plugins: [Target.PluginUsage] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: excluding, swiftSettings: house, plugins: plugins)
}

/// Declares a program with its sources in the folder `path`.
func command(_ name: String, at path: String, on dependencies: [Target.Dependency], excluding: [String] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, exclude: excluding, swiftSettings: house)
}

/// The settings of test modules. They are not optimised in a release build either: that took half of the build's time, and what a test
/// exercises is in other modules. No module waits for their interface, so it is made with their code: a job of its own would check all
/// types a second time.
let houseOfTests = house + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// Declares the tests of one layer, in the folder `Tests/NAMETests`.
func tests(of name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.init(stringLiteral: name)] + dependencies, swiftSettings: houseOfTests)
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let tls = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let sslLibrary = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")

let package = Package(
    name: "greentea",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "EventLog", targets: ["EventLog"]),
        .library(name: "Merkle", targets: ["Merkle"]),
        .executable(name: "greentea", targets: ["greentea"]),
        .executable(name: "greentea-replay", targets: ["greentea-replay"]),
        .executable(name: "greentea-rebuild", targets: ["greentea-rebuild"]),
        .executable(name: "greentea-audit", targets: ["greentea-audit"]),
        .executable(name: "greentea-bench", targets: ["greentea-bench"]),
        .executable(name: "greentea-load", targets: ["greentea-load"]),
    ],
    traits: [
        .trait(name: "Service", description: "The service, its programs and its tests. Without it, EventLog, Merkle and LMDB build."),
        .default(enabledTraits: ["Service"]),
    ],
    // The packages of the service have exact versions, so that a new release of one cannot change what a commit builds. swift-crypto has a
    // range, because the library products need it, and a program that embeds them may need another version of it.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0", traits: [.defaults, "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf.git", exact: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", exact: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", exact: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
    ],
    targets: [
        // Storage layers, and all C libraries
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CGD", providers: [.apt(["libgd-dev"])]),
        // This target has only the header of libzbar. The program loads the library itself at run time, when it needs it.
        .systemLibrary(name: "CZBar", providers: [.apt(["libzbar-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CCairo", providers: [.apt(["libpango1.0-dev"])]),
        // A C interface to libphonenumber (`libphonenumber-dev`), whose own interface is C++.
        .target(name: "CPhoneNumber", linkerSettings: [.linkedLibrary("phonenumber")]),
        layer("LMDB", on: ["CLMDB"]),
        layer("Merkle", on: [crypto]),
        layer("EventLog", on: ["LMDB", "Merkle", crypto]),
        // The shared log on etcd, for several machines
        layer(
            "Etcd",
            on: [
                "EventLog", httpClient, nio, .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), sslLibrary,
            ]),
        layer("Caches"),
        layer("BackgroundWork"),
        // Layers for decisions and for the encoding of events
        layer("Loyalty"),
        layer(
            "LoyaltyCodec", on: ["Merkle", "EventLog", "Loyalty", protobuf, crypto],
            excluding: ["Proto/events.proto", "Proto/options.proto", "CHANGING.md"]),
        // Layers for views of the log and for audits
        layer("Projections", on: ["LMDB", "EventLog", "BackgroundWork"]),
        layer("ReadModels", on: ["LMDB", "EventLog", "Loyalty", "LoyaltyCodec", "Projections"]),
        layer("Search", on: ["Merkle", "EventLog", "Caches", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", grdb, crypto]),
        layer(
            "Audit",
            on: ["LMDB", "Merkle", "EventLog", "BackgroundWork", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Search", crypto]),
        layer(
            "Archive",
            on: ["LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Audit", crypto, sslLibrary]),
        layer(
            "PastStates",
            on: ["LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Audit", crypto]),
        layer("Charts"),
        layer(
            "WhatIf", on: ["EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Audit", "PastStates", "Charts"]),
        // Layers of the HTTP service
        .plugin(name: "EmbeddingPlugin", capability: .buildTool(), path: "Tools/EmbeddingPlugin"),
        layer("Prometheus", on: [metrics]),
        layer("ServiceLog", on: [logging]),
        layer(
            "Traces", on: [tracing, metrics, protobuf, httpClient, nio, .product(name: "NIOHTTP1", package: "swift-nio")],
            excluding: ["Proto/traces.proto"]),
        layer("PhoneNumbers", on: ["CPhoneNumber"]),
        layer("Sheets", on: ["CCairo"]),
        layer("Images", on: ["CGD", "CZBar", "LMDB", "Caches", "BackgroundWork", "Loyalty", crypto]),
        layer(
            "WebPages", on: ["PhoneNumbers", "Loyalty", "LoyaltyCodec", mustache], excluding: ["Assets", "Templates", "Words"],
            plugins: ["EmbeddingPlugin"]),
        layer("TextMessages", on: [httpClient, nio, .product(name: "NIOHTTP1", package: "swift-nio"), crypto]),
        // Requests between the nodes of a cluster
        layer(
            "Nodes",
            on: [
                "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", httpClient, nio, .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), sslLibrary, crypto,
            ]),
        layer(
            "CommandService",
            on: [
                "LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Caches", "BackgroundWork", crypto,
                cryptoExtras, metrics, tracing,
            ]),
        layer(
            "Composition",
            on: [
                "LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Search", "Images", "Caches",
                "CommandService", "PhoneNumbers", metrics, tracing,
            ]),
        layer(
            "HTTPAPI",
            on: [
                "Caches", "BackgroundWork", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Search", "Audit",
                "LMDB", "Charts", "Images",
                "WebPages",
                "TextMessages",
                "PhoneNumbers", "Nodes", "CommandService", "Composition", "Sheets", "CQREncode", "Prometheus", "ServiceLog", "WhatIf",
                hummingbird,
                tls,
                sslLibrary, nio, crypto, logging, metrics, tracing,
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            excluding: ["Description/description.yaml"], plugins: ["EmbeddingPlugin"]),
        // Commands, and layers for commands
        layer("Console"),
        layer("TillImport", on: ["EventLog", "Loyalty", "LoyaltyCodec", "CommandService", "Composition"]),
        command(
            "greentea", at: "Sources/greentea",
            on: [
                "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Audit", "Images",
                "Etcd", "Nodes", "CommandService", "Composition", "TextMessages",
                "HTTPAPI", "WebPages",
                "TillImport", "PhoneNumbers", "Console", "Prometheus", "ServiceLog", "Traces", arguments, logging, metrics, tracing,
                crypto, hummingbird, nio,
                sslLibrary,
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        command(
            "greentea-replay", at: "Tools/replay",
            on: [
                "EventLog", "Loyalty", "LoyaltyCodec", "ReadModels", "Search", "Audit", "Archive", "PastStates", "WhatIf",
                "Charts", "Console",
                arguments,
            ]),
        command(
            "greentea-rebuild", at: "Tools/rebuild",
            on: ["EventLog", "BackgroundWork", "LoyaltyCodec", "Projections", "ReadModels", "Search", "Audit", "Console", arguments]),
        command(
            "greentea-audit", at: "Tools/audit",
            on: ["Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "CommandService", "Audit", "Archive", "Console", arguments]),
        command(
            "greentea-bench", at: "Tools/Benchmarks",
            on: [
                "LMDB", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Search", "CommandService", "HTTPAPI", "Audit",
                "Composition", "Archive", "PastStates",
                "Charts", "Etcd", "Merkle",
                "Console", arguments, hummingbird, nio, logging,
            ],
            excluding: ["FIGURES.md"]),
        layer(
            "LoadGenerator",
            on: [
                nio, .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
        command(
            "greentea-load", at: "Tools/load",
            on: ["LoadGenerator", "Console", arguments, .product(name: "NIOPosix", package: "swift-nio")]),
        command("greentea-tidy", at: "Tools/Tidy", on: []),
        // Tests, and targets that only tests use
        .target(name: "Seeds", path: "Tests/Seeds", swiftSettings: house),
        .target(name: "Patience", path: "Tests/Patience", swiftSettings: house),
        tests(of: "LMDB", on: ["Seeds", "Patience"]),
        tests(of: "Merkle", on: ["Seeds", "Patience", crypto]),
        .target(name: "SharedLogs", dependencies: ["Merkle", "EventLog", "Seeds"], path: "Tests/SharedLogs", swiftSettings: house),
        tests(of: "EventLog", on: ["LMDB", "Merkle", "SharedLogs", "Seeds", "Patience"]),
        tests(
            of: "Etcd",
            on: ["EventLog", "Merkle", "SharedLogs", "Patience", nio, .product(name: "NIOPosix", package: "swift-nio")]),
        tests(of: "Caches", on: ["Seeds"]),
        tests(of: "BackgroundWork", on: ["Patience"]),
        .target(name: "Faults", dependencies: ["LMDB", "Merkle", "EventLog", "Seeds"], path: "Tests/Faults", swiftSettings: house),
        command("fault-writer", at: "Tests/FaultWriter", on: ["Faults", "EventLog", "LMDB", "Seeds"]),
        .testTarget(
            name: "FaultTests", dependencies: ["Faults", "EventLog", "LMDB", "Seeds", "Patience", "fault-writer"],
            swiftSettings: houseOfTests),
        .target(name: "World", dependencies: ["Loyalty"], path: "Tests/World", swiftSettings: house),
        tests(of: "Loyalty", on: ["World", "Seeds"]),
        tests(of: "LoyaltyCodec", on: ["EventLog", "Loyalty", "Seeds"]),
        .target(
            name: "Histories", dependencies: ["EventLog", "Loyalty", "LoyaltyCodec", "World", "Seeds"], path: "Tests/Histories",
            swiftSettings: house),
        tests(of: "ReadModels", on: ["LMDB", "EventLog", "Loyalty", "LoyaltyCodec", "World", "Histories", "Seeds", "Patience"]),
        tests(of: "Search", on: ["EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Histories", "Seeds", grdb]),
        tests(
            of: "Audit",
            on: [
                "Archive", "PastStates", "LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Images",
                "CommandService", "Composition", "Console",
                "World", "Histories", "Seeds", "Patience", "greentea",
            ]),
        tests(of: "Charts"),
        tests(
            of: "WhatIf",
            on: [
                "EventLog", "Loyalty", "LoyaltyCodec", "Audit", "CommandService", "Composition", "TillImport", "World",
                "Histories", "Seeds", "Patience",
            ]),
        tests(of: "Sheets"),
        tests(of: "Images", on: ["Caches", "Loyalty", "Patience", "greentea", crypto]),
        tests(of: "WebPages", on: ["Loyalty", "LoyaltyCodec"]),
        tests(of: "PhoneNumbers"),
        tests(of: "Prometheus", on: [metrics]),
        tests(of: "ServiceLog", on: [logging]),
        tests(
            of: "Traces",
            on: [
                "Prometheus", "Patience", metrics, protobuf, tracing, nio, .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        tests(of: "Nodes"),
        tests(of: "TextMessages", on: [hummingbird, nio, .product(name: "HummingbirdTesting", package: "hummingbird")]),
        tests(
            of: "CommandService",
            on: [
                "LMDB", "EventLog", "SharedLogs", "Caches", "BackgroundWork", "Loyalty", "LoyaltyCodec", "ReadModels", "Images",
                "Composition", "World", "Seeds", "Patience", metrics,
            ]),
        tests(
            of: "HTTPAPI",
            on: [
                "TextMessages", "LMDB", "EventLog", "Caches", "Loyalty", "LoyaltyCodec", "Projections", "ReadModels", "Search", "Audit",
                "Images", "Sheets", "WebPages", "Nodes", "CommandService", "Composition", "Traces", "WhatIf",
                "Seeds",
                "Patience", "greentea", grdb,
                hummingbird, .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        tests(
            of: "LoadGenerator",
            on: [
                "CommandService", "Composition", "HTTPAPI", "LoyaltyCodec", hummingbird, nio,
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        tests(
            of: "TillImport",
            on: ["EventLog", "Loyalty", "LoyaltyCodec", "ReadModels", "CommandService", "Composition", "World", "Seeds", "Patience"]),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "TillImport", "Audit", "Archive"],
            path: "Tests/Fuzz", exclude: ["Entry", "CFuzzer"], swiftSettings: houseOfTests),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "greentea", "greentea-replay", "greentea-rebuild", "greentea-audit", "greentea-load", "Faults", "Seeds", "Patience",
                // No test starts it. It is built beside the test modules, which keep only one core busy at the end.
                "greentea-bench",
            ],
            swiftSettings: houseOfTests),
    ],
    swiftLanguageModes: [.v6]
)

// All packages except swift-crypto are needed only with the trait `Service`. A program that uses only the log disables the trait, and does
// not even resolve these packages.
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, _, _) = dependency, package != "swift-crypto" else { return dependency }
        return .product(name: name, package: package, condition: .when(traits: ["Service"]))
    }
}
