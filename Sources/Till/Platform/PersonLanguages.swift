#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The person's languages, the dearest first.
enum PersonLanguages {
    static var inOrder: [String] {
        #if os(Linux)
            // Foundation has no such setting there: the variables of POSIX do.
            let environment = ProcessInfo.processInfo.environment
            let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
            return names.filter { !$0.isEmpty }
        #else
            return Locale.preferredLanguages
        #endif
    }
}
