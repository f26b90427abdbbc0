import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The device's clocks.
///
/// `Duration` and `Clock` would need iOS 16.
struct SystemClock: Timekeeping {
    func deviceTime() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    func uptime() -> Uptime {
        Uptime(boot: Self.boot, milliseconds: Self.millisecondsSinceBoot())
    }

    func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
    }

    private static func millisecondsSinceBoot() -> Int64 {
        var reading = timespec()
        #if canImport(Darwin)
            // Goes on while the device sleeps (clock_gettime(3) on macOS).
            clock_gettime(CLOCK_MONOTONIC, &reading)
        #else
            clock_gettime(CLOCK_BOOTTIME, &reading)
        #endif
        return Int64(reading.tv_sec) * 1_000 + Int64(reading.tv_nsec) / 1_000_000
    }

    private static let boot: String = {
        #if canImport(Darwin)
            var length = 64
            var text = [CChar](repeating: 0, count: length)
            guard sysctlbyname("kern.bootsessionuuid", &text, &length, nil, 0) == 0 else {
                return ""
            }
            return String(
                decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
            let path = "/proc/sys/kernel/random/boot_id"
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        #endif
    }()
}
