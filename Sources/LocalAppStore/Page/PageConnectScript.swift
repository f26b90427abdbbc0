extension StorePage {
    /// How a server and an app find this store, and what they have to trust.
    static let connectScript = #"""
        // How a server and an app find this store, and what they have to trust.
        import { h, t, draw, doer, copier, saver, bytesOf, call } from "./base.js";
        import { ask } from "./dialog.js";
        import { store, view, refresh } from "./state.js";

        /** The whole part. */
        export function drawConnect(host) {
          const { info } = store;
          const here = view.portEnvironment;
          const isOne = info.rootFingerprint === info.receiptRootFingerprint;
          draw(host, [info.bundleId, info.appAppleId, info.rootFingerprint, info.apiKey, here], () => [
            h("p", { class: "hint" }, t("Everything below is made up by this store and means nothing to "
              + "Apple. A production server must never trust it.")),
            h("div", { class: "columns" },
              card(t("The app"), t("What was bought is signed for this app."),
                row("bundleId", info.bundleId), row("appAppleId", String(info.appAppleId))),
              card(t("Addresses"), t("Sandbox answers on --port, production on --production-port (one "
                + "above, unless you chose). Each port has Apple's own paths."),
                row(here ? t("{environment}, this port", { environment: t(here) }) : t("This port"),
                  location.origin)),
              card(t("The root to trust"), t("Your server checks signatures against it. Name it as an "
                + "extra root, outside production only."),
                row(isOne ? t("SHA-256") : t("SHA-256, signed transactions"), info.rootFingerprint),
                !isOne && row(t("SHA-256, receipts"), info.receiptRootFingerprint),
                h("div", { class: "actions" },
                  saver(t("Save root (DER)"), "till-store-root.der", bytesOf(info.rootCertificate),
                    "application/pkix-cert"),
                  !isOne && saver(t("Save receipt root (DER)"), "till-store-receipt-root.der",
                    bytesOf(info.receiptRootCertificate), "application/pkix-cert"))),
              card(t("A Till server"), t("In its configuration, for this app:"),
                snippet(t("the configuration"), JSON.stringify({
                  bundleId: info.bundleId, appAppleId: info.appAppleId, environments: ["Sandbox"],
                  trustedRoots: ["till-store-root.der", ...(isOne ? [] : ["till-store-receipt-root.der"])],
                  products: {
                    [info.products[0]?.productId ?? "com.example.coins"]:
                      { type: "consumable", credits: { coins: 100 } },
                  },
                }, null, 2)),
                h("p", { class: "hint" }, t("Then set its URL under Notifications."))),
              card(t("An app on Linux"), t("Its StoreKit finds the store by one variable:"),
                snippet(t("the variable"), `export TILL_STORE_URL=${location.origin}`)),
              card(t("App Store Server API"), t("With Apple's own library: this base URL and this key."),
                row(t("Base URL"), location.origin), row("issuerId", info.apiKey.issuerId),
                row("keyId", info.apiKey.keyId),
                h("div", { class: "actions" },
                  copier(info.apiKey.privateKey, t("the private key"), true),
                  saver(t("Save private key (.p8)"), `SubscriptionKey_${info.apiKey.keyId}.p8`,
                    info.apiKey.privateKey, "application/x-pem-file"))),
              card("verifyReceipt", t("The retired endpoint, for old servers."),
                row("URL", `${location.origin}/verifyReceipt`),
                row(t("Shared secret"), info.sharedSecret)),
              card(t("A script"), t("Whatever this page does, a script can do:"),
                snippet(t("the command"), [
                  `curl -s ${location.origin}/control/v1/purchases \\`,
                  "  -H 'Content-Type: application/json' \\",
                  `  -d '{"productId": "${info.products[0]?.productId ?? ""}"}'`,
                ].join("\n")))),
            h("div", { class: "actions spaced" },
              h("button", { type: "button", class: "danger", "data-key": "reset", click: reset },
                t("Begin anew…")),
              doer(t("Read everything again"), async () => {
                await refresh();
                return t("Read.");
              })),
          ]);
        }

        function card(title, text, ...rest) {
          return h("section", { class: "card" }, h("h2", null, title), h("p", { class: "hint" }, text),
            rest);
        }

        function row(name, value) {
          return h("div", { class: "known" }, h("span", null, name),
            h("code", null, value), copier(value, name));
        }

        function snippet(name, text) {
          return h("div", { class: "signed" }, h("pre", { tabindex: 0, "aria-label": name }, text),
            h("div", { class: "actions" }, copier(text, name, true)));
        }

        function reset() {
          ask({
            title: t("Begin anew?"), button: t("Forget everything"), kind: "danger", fields: [],
            text: t("Accounts, devices, purchases, notifications and faults are forgotten. Keys, catalog "
              + "and settings stay."),
            async work() {
              await call("POST", "/reset");
              await refresh();
              return t("The store is empty again.");
            },
          });
        }
        """#
}
