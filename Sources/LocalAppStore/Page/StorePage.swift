/// The web page of the store, as files in memory.
///
/// All of it is here: it needs no network, no build step and nothing of anybody else's.
enum StorePage {
    /// The file at a path of the page; nothing when there is none.
    static func file(at path: String) -> (contentType: String, bytes: [UInt8])? { files[path] }

    private static let files: [String: (contentType: String, bytes: [UInt8])] = {
        var files = [
            "/": ("text/html; charset=utf-8", Array(document.utf8)),
            "/store.css": ("text/css; charset=utf-8", Array(style.utf8)),
            "/favicon.svg": ("image/svg+xml", Array(icon.utf8)),
            "/favicon.ico": ("image/svg+xml", Array(icon.utf8)),
        ]
        for (name, script) in scripts {
            files["/script/\(name).js"] = (
                "text/javascript; charset=utf-8", Array(script.utf8)
            )
        }
        return files
    }()

    private static var scripts: [(name: String, text: String)] {
        [
            ("base", baseScript),
            ("chinese-shop", chineseShopScript),
            ("chinese-store", chineseStoreScript),
            ("chinese", chineseScript),
            ("connect", connectScript),
            ("dialog", dialogScript),
            ("faults", faultsScript),
            ("frame", frameScript),
            ("life", lifeScript),
            ("log", logScript),
            ("main", mainScript),
            ("notifications", notificationsScript),
            ("people", peopleScript),
            ("purchases", purchasesScript),
            ("shop", shopScript),
            ("state", stateScript),
            ("words", wordsScript),
        ]
    }
}
