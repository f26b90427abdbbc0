#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The web page of the store, as files in memory.
enum StorePage {
    /// The file at a path of the page; nothing when there is none.
    static func file(at path: String) -> (contentType: String, bytes: [UInt8])? {
        guard path == "/" else { return nil }
        return (
            "text/html; charset=utf-8", Array("<!doctype html><title>Till store</title>\n".utf8)
        )
    }
}
