// swift-tools-version: 6.2
import PackageDescription

// The house: floor, name and what it stands on. `docs/architecture.md` tells what each room is for.
// A room may import rooms of lower floors only, never one beside it; the manifest refuses
// anything else, and the build refuses an import that is not declared here.

struct Room {
    let floor: Int
    let name: String
    let needs: [String]
    var isDriver = false
    var isExecutable = false
}

/// Whether Linux reads this: it needs rooms for what Apple's systems bring along.
///
/// `TILL_MANIFEST_AS=apple` has it read as a Mac reads it, so that a test can look at the result.
#if os(Linux)
    let isLinux = Context.environment["TILL_MANIFEST_AS"] != "apple"
#else
    let isLinux = false
#endif

/// What the SDK needs on Linux alone; on Apple systems it stands on URLSession and Apple's StoreKit,
/// with no C target beneath it.
let linuxBeneathTheSDK = isLinux ? ["HTTPFetch", "StoreKit", "CryptoPrimitives"] : []
/// The demonstration's app stands on the SDK; elsewhere there is no StoreKit over the local store.
let linuxInTheDemo = isLinux ? ["Till", "StoreKit"] : []

let rooms: [Room] = [
    // 8 commands
    Room(
        floor: 8, name: "TillCLI",
        needs: [
            "TillServer", "LocalAppStore", "LedgerSQLite", "LedgerPostgres", "LedgerMemory",
            "TillLedger",
            "HTTPServer",
            "AppStoreTrust", "AppStoreSigning", "AppStoreCoding", "AppStoreModel",
            "SignedDataCoding",
            "CryptoPrimitives", "HTTPFetch", "HTTPMessage", "TillAPI", "StoreWire",
        ] + linuxInTheDemo, isExecutable: true),

    Room(
        floor: 8, name: "TillBench",
        needs: [
            "AppStoreTrust", "AppStoreCoding", "AppStoreModel", "SignedDataCoding",
            "CryptoPrimitives", "AppStoreSigning", "LocalAppStore", "HTTPMessage",
            "TillLedger", "LedgerSQLite", "CEpoll",
        ], isExecutable: true),

    // 6 programs
    Room(
        floor: 6, name: "TillServer",
        needs: [
            "TillLedger", "HTTPServer", "AppStoreTrust", "AppStoreClient", "AppStoreCoding",
            "AppStoreModel",
            "SignedDataCoding", "CryptoPrimitives", "TillAPI", "HTTPMessage",
        ]),
    Room(
        floor: 6, name: "LocalAppStore",
        needs: [
            "HTTPServer", "HTTPFetch", "HTTPMessage", "AppStoreSigning", "AppStoreCoding",
            "AppStoreModel", "SignedDataCoding", "CryptoPrimitives", "StoreWire",
        ]),

    Room(
        floor: 6, name: "Till",
        needs: ["TillAPI", "HTTPMessage", "AppStoreModel"] + linuxBeneathTheSDK),

    // 5 engines
    Room(
        floor: 5, name: "LedgerSQLite",
        needs: ["TillLedger", "SQLiteDriver", "AppStoreModel"]),
    Room(
        floor: 5, name: "LedgerPostgres",
        needs: ["TillLedger", "PostgresDriver", "AppStoreModel"]),
    Room(floor: 5, name: "LedgerMemory", needs: ["TillLedger", "AppStoreModel"]),

    // 4 rules
    Room(
        floor: 4, name: "TillLedger",
        needs: ["AppStoreTrust", "AppStoreModel", "CryptoPrimitives"]),
    Room(
        floor: 4, name: "HTTPServer", needs: ["HTTPMessage", "CEpoll"], isDriver: true),

    // 3 proof
    Room(
        floor: 3, name: "AppStoreTrust",
        needs: ["AppStoreCoding", "AppStoreModel", "SignedDataCoding", "CryptoPrimitives"]),
    Room(
        floor: 3, name: "AppStoreSigning",
        needs: ["AppStoreCoding", "AppStoreModel", "SignedDataCoding", "CryptoPrimitives"]),

    Room(
        floor: 3, name: "AppStoreClient",
        needs: [
            "AppStoreCoding", "AppStoreModel", "SignedDataCoding", "CryptoPrimitives",
            "HTTPMessage",
        ]),

    // 2 tools
    Room(floor: 2, name: "AppStoreCoding", needs: ["AppStoreModel", "SignedDataCoding"]),
    Room(floor: 2, name: "CryptoPrimitives", needs: ["COpenSSL"], isDriver: true),
    Room(floor: 2, name: "SQLiteDriver", needs: ["CSQLite"], isDriver: true),
    Room(floor: 2, name: "PostgresDriver", needs: ["CPostgres"], isDriver: true),
    Room(floor: 2, name: "HTTPFetch", needs: ["HTTPMessage", "CCurl"], isDriver: true),
    Room(floor: 2, name: "TillAPI", needs: ["AppStoreModel"]),
    Room(floor: 2, name: "StoreWire", needs: ["AppStoreModel"]),

    // 1 values
    Room(floor: 1, name: "AppStoreModel", needs: []),
    Room(floor: 1, name: "SignedDataCoding", needs: []),
    Room(floor: 1, name: "HTTPMessage", needs: []),
]

// 0 C: what Debian and Homebrew keep well. A module map and a shim each, no code of ours.
// `CEpoll` is Linux's own, so it names no package.
let libraries: [(name: String, pkgConfig: String?, apt: String?, brew: String?)] = [
    ("COpenSSL", "libcrypto", "libssl-dev", "openssl@3"),
    ("CSQLite", "sqlite3", "libsqlite3-dev", "sqlite3"),
    ("CPostgres", "libpq", "libpq-dev", "libpq"),
    ("CEpoll", nil, nil, nil),
    ("CCurl", "libcurl", "libcurl4-openssl-dev", "curl"),
]

/// Tests by room; each may use what its room uses, and the kit.
let tests: [(name: String, needs: [String])] = [
    ("HouseTests", []),
    ("AppStoreModelTests", ["AppStoreModel"]),
    ("SignedDataCodingTests", ["SignedDataCoding"]),
    ("AppStoreCodingTests", ["AppStoreCoding", "AppStoreModel", "SignedDataCoding"]),
    ("CryptoPrimitivesTests", ["CryptoPrimitives"]),
    (
        "AppStoreTrustTests",
        [
            "AppStoreTrust", "AppStoreSigning", "AppStoreCoding", "AppStoreModel",
            "SignedDataCoding",
            "CryptoPrimitives",
        ]
    ),
    (
        "AppStoreSigningTests",
        [
            "AppStoreSigning", "AppStoreTrust", "AppStoreCoding", "AppStoreModel",
            "SignedDataCoding",
            "CryptoPrimitives",
        ]
    ),
    (
        "AppStoreClientTests",
        [
            "AppStoreClient", "AppStoreTrust", "AppStoreSigning", "LocalAppStore", "HTTPServer",
            "HTTPFetch", "HTTPMessage", "StoreWire", "AppStoreModel", "SignedDataCoding",
            "CryptoPrimitives",
        ]
    ),
    (
        "ReconcilingTests",
        [
            "TillServer", "TillLedger", "LedgerMemory", "AppStoreClient", "AppStoreTrust",
            "AppStoreSigning", "LocalAppStore", "StoreWire", "HTTPServer", "HTTPFetch",
            "HTTPMessage", "TillAPI", "AppStoreModel", "CryptoPrimitives",
        ]
    ),
    ("HTTPServerTests", ["HTTPServer", "HTTPMessage", "HTTPFetch"]),
    ("HTTPFetchTests", ["HTTPFetch", "HTTPMessage"]),
    ("SQLiteDriverTests", ["SQLiteDriver"]),
    ("PostgresDriverTests", ["PostgresDriver"]),
    (
        "LedgerTests",
        [
            "TillLedger", "LedgerSQLite", "LedgerPostgres", "LedgerMemory", "SQLiteDriver",
            "PostgresDriver", "AppStoreTrust", "AppStoreSigning", "AppStoreModel",
            "CryptoPrimitives", "SignedDataCoding",
        ]
    ),
    (
        "TillServerTests",
        [
            "TillServer", "TillLedger", "LedgerSQLite", "LedgerMemory", "HTTPServer", "HTTPFetch",
            "HTTPMessage", "TillAPI", "AppStoreTrust", "AppStoreSigning", "AppStoreCoding",
            "AppStoreModel", "SignedDataCoding", "CryptoPrimitives",
        ]
    ),
    (
        "LocalAppStoreTests",
        [
            "LocalAppStore", "HTTPServer", "HTTPFetch", "HTTPMessage", "StoreWire", "AppStoreTrust",
            "AppStoreSigning", "AppStoreCoding", "AppStoreModel", "SignedDataCoding",
            "CryptoPrimitives",
        ]
    ),
    ("TillTests", ["Till", "TillAPI", "HTTPMessage", "AppStoreModel"] + linuxBeneathTheSDK),
    (
        "TillCLITests",
        ["HTTPFetch", "HTTPMessage", "AppStoreSigning", "AppStoreModel", "CryptoPrimitives"]
    ),
]

// What `import StoreKit` finds where Apple's is absent; on Apple's systems there must be no such target.
let linuxRooms: [Room] =
    !isLinux
    ? []
    : [
        Room(
            floor: 5, name: "StoreKit",
            needs: [
                "AppStoreTrust", "AppStoreCoding", "AppStoreModel", "SignedDataCoding",
                "CryptoPrimitives", "HTTPFetch", "HTTPMessage", "StoreWire",
            ], isDriver: true)
    ]
let linuxTests: [(name: String, needs: [String])] =
    !isLinux
    ? []
    : [
        (
            "StoreKitTests",
            [
                "StoreKit", "LocalAppStore", "HTTPServer", "HTTPMessage", "StoreWire",
                "AppStoreModel", "AppStoreSigning", "AppStoreTrust", "CryptoPrimitives",
            ]
        ),
        (
            "TillEndToEndTests",
            [
                "Till", "StoreKit", "LocalAppStore", "TillServer", "TillLedger", "LedgerMemory",
                "TillAPI", "HTTPServer", "HTTPFetch", "HTTPMessage", "StoreWire", "AppStoreSigning",
                "AppStoreModel", "CryptoPrimitives",
            ]
        ),
    ]
let linuxProducts: [Product] = isLinux ? [.library(name: "StoreKit", targets: ["StoreKit"])] : []
/// Purchase code as it is found in the wild, faults and all, built against `StoreKit`.
let storeKitExamples: [String] =
    !isLinux
    ? []
    : [
        "CoinShop", "Membership", "OrderFirst", "EightStates", "TopUp", "ModernStore",
    ]

let everyRoom: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

var floors: [String: Int] = [:]
for library in libraries { floors[library.name] = 0 }
let builtRooms = rooms + linuxRooms
for room in builtRooms { floors[room.name] = room.floor }
for room in builtRooms {
    for need in room.needs {
        guard let floor = floors[need] else {
            fatalError("\(room.name) needs \(need), which is no room")
        }
        precondition(floor < room.floor, "\(room.name) may not stand on \(need): not a lower floor")
    }
}

var targets: [Target] = libraries.map {
    .systemLibrary(
        name: $0.name, path: "Sources/C/\($0.name)", pkgConfig: $0.pkgConfig,
        providers: [$0.apt.map { .apt([$0]) }, $0.brew.map { .brew([$0]) }].compactMap(\.self))
}
for room in builtRooms {
    let needs = room.needs.map { Target.Dependency.byName(name: $0) }
    let settings = room.isDriver ? everyRoom + [.strictMemorySafety()] : everyRoom
    targets.append(
        room.isExecutable
            ? .executableTarget(name: room.name, dependencies: needs, swiftSettings: settings)
            : .target(name: room.name, dependencies: needs, swiftSettings: settings))
}
for name in storeKitExamples {
    targets.append(
        .executableTarget(
            name: name, dependencies: ["StoreKit"], path: "Examples/StoreKit/\(name)",
            swiftSettings: [.swiftLanguageMode(.v5)]))
}
if isLinux {
    targets.append(
        .executableTarget(
            name: "CoinShopWithTill", dependencies: ["Till"], path: "Examples/CoinShop/After",
            swiftSettings: [.swiftLanguageMode(.v6)]))
    targets.append(
        .executableTarget(
            name: "CoinShopBefore", dependencies: ["StoreKit"], path: "Examples/CoinShop/Before",
            swiftSettings: [.swiftLanguageMode(.v5)]))
}
/// `TILL_TESTS=LedgerTests,TillServerTests` builds these tests alone, which takes a fraction of the time.
let wantedTests = Context.environment["TILL_TESTS"]?.split(separator: ",").map { String($0) }
targets.append(.target(name: "TestKit", path: "Tests/TestKit", swiftSettings: everyRoom))
for test in tests + linuxTests where wantedTests?.contains(test.name) ?? true {
    targets.append(
        .testTarget(
            name: test.name, dependencies: (test.needs + ["TestKit"]).map { .byName(name: $0) },
            swiftSettings: everyRoom))
}

#if os(Linux)
    // Names and signatures of StoreKit in the language mode in which most of the code for it is written.
    if wantedTests?.contains("StoreKitTests") ?? true {
        targets.append(
            .testTarget(
                name: "StoreKitNamesTests", dependencies: ["StoreKit"],
                swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]))
    }
#endif

// The SDK runs from iOS 13 and macOS 10.15 on; the server and the store are built on a Mac with
// `TILL_SERVER=1`, which asks for the macOS that brought `Synchronization`.
let macOS: SupportedPlatform =
    Context.environment["TILL_SERVER"] == nil ? .macOS(.v10_15) : .macOS(.v15)

let package = Package(
    name: "till",
    platforms: [.iOS(.v13), macOS],
    products: [
        .library(name: "Till", targets: ["Till"]),
        .executable(name: "till", targets: ["TillCLI"]),
        .executable(name: "till-bench", targets: ["TillBench"]),
    ] + linuxProducts,
    targets: targets
)
