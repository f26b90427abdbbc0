extension StorePage {
    /// The one document; the scripts fill it.
    static let document = #"""
        <!doctype html>
        <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <meta http-equiv="Content-Security-Policy"
            content="default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'">
          <meta name="color-scheme" content="light dark">
          <title>Local App Store</title>
          <link rel="icon" href="/favicon.svg" type="image/svg+xml">
          <link rel="stylesheet" href="/store.css">
          <script type="module" src="/script/main.js"></script>
        </head>
        <body>
          <a id="skip" class="skip" href="#main">Skip to the content</a>
          <header>
            <div id="head"></div>
            <div id="clockwork" class="clock"></div>
            <div id="banner"></div>
            <nav id="tabs"></nav>
          </header>
          <div class="page">
            <main id="main" tabindex="-1">
              <div id="waiting"><p class="empty">…</p></div>
              <div id="part-shop" hidden></div>
              <div id="part-purchases" hidden></div>
              <div id="part-people" hidden></div>
              <div id="part-notifications" hidden></div>
              <div id="part-faults" hidden></div>
              <div id="part-log" hidden></div>
              <div id="part-connect" hidden></div>
            </main>
            <aside id="live"></aside>
          </div>
          <div id="messages" role="status" aria-live="polite"></div>
          <noscript><p>This page needs JavaScript; all of it comes from this store.</p></noscript>
        </body>
        </html>
        """#

    /// A shopping bag.
    static let icon = #"""
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
        <rect width="32" height="32" rx="7" fill="#1f6f5c"/>
        <path d="M7 13h18l-1.500 12h-15zM11 13a5 5 0 0 1 10 0" fill="none" stroke="#fff" stroke-width="2.500"/>
        </svg>
        """#
}
