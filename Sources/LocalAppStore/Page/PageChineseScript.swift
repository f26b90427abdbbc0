extension StorePage {
    /// Simplified Chinese by the English text.
    static let chineseScript = #"""
        // Simplified Chinese by the English text.
        import { shopWords } from "./chinese-shop.js";
        import { storeWords } from "./chinese-store.js";

        export const chinese = Object.fromEntries([...shopWords, ...storeWords]);
        """#
}
