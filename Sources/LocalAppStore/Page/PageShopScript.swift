extension StorePage {
    /// The catalog, and buying from it.
    static let shopScript = #"""
        // The catalog, and buying from it.
        import { h, t, draw, doer, money, period, call, path } from "./base.js";
        import { ask } from "./dialog.js";
        import { store, view, look, change, buyer, productName } from "./state.js";
        import { accountDialog } from "./people.js";

        const kinds = [
          ["Consumable", "Consumables", "Used up, and can be bought again and again."],
          ["Non-Consumable", "Bought once", "Kept for ever, and restored on every device."],
          ["Non-Renewing Subscription", "Non-renewing", "For a time, without renewal by the store."],
          ["Auto-Renewable Subscription", "Subscriptions",
            "Renewed by the store until somebody stops them. One plan of a group at a time."],
        ];

        /** The whole part. */
        export function drawShop(host) {
          const owner = buyer();
          const accounts = store.accounts.filter((one) => one.environment === view.environment);
          draw(host, [store.info.products, accounts, owner?.accountId, view.environment,
            store.total > 0], () => [
            store.total === 0 && firstSteps(),
            h("div", { class: "bar" },
              h("label", { for: "buyer" }, t("Who buys")),
              h("select", {
                id: "buyer", "data-key": "buyer", value: owner?.accountId ?? "",
                change: (event) => look({ account: event.target.value }),
              }, accounts.length === 0
                ? h("option", { value: "" }, t("the usual account (made when it first buys)"))
                : accounts.map((one) => h("option", { value: one.accountId }, one.accountId))),
              h("div", { class: "actions" },
                h("button", { type: "button", "data-key": "new buyer", click: () => accountDialog() },
                  t("New account…"))),
              owner && traits(owner)),
            kinds.map(([type, title, words]) => {
              const found = store.info.products.filter((one) => one.type === type);
              return found.length > 0 && h("section", null,
                h("h2", null, t(title)), h("p", { class: "hint" }, t(words)),
                groups(found).map(([group, rows, isOne]) => [
                  !isOne && h("h3", { class: "group-name" }, t("Group {id}", { id: group })),
                  h("div", { class: "cards" }, rows.map(card))]));
            }),
            h("div", { class: "actions spaced" },
              h("button", { type: "button", "data-key": "load catalog", click: loadCatalog },
                t("Load another catalog…")),
              h("button", { type: "button", "data-key": "make codes", click: makeCodes },
                t("Make offer codes…")),
              h("button", { type: "button", "data-key": "promote", click: promote },
                t("Tap a promoted purchase…"))),
          ]);
        }

        /** Subscriptions by their group, everything else together. */
        function groups(found) {
          const names = [...new Set(found.map((one) => one.groupId))];
          return names.map((name) =>
            [name, found.filter((one) => one.groupId === name), names.length === 1]);
        }

        function firstSteps() {
          return h("ol", { class: "steps" },
            h("li", null, t("Press Buy on anything below. No money moves; the store plays Apple's part.")),
            h("li", null, t("Look under Purchases at what was signed, and let it renew, fail or be refunded.")),
            h("li", null, t("Under Connect it says how your server and your app find this store.")));
        }

        function traits(owner) {
          const found = [
            !owner.canMakePayments && t("may not pay"), owner.asksToBuy && t("asks to buy"),
            owner.interruptsPurchases && t("purchases are interrupted"),
            owner.billingFails && t("renewals cannot be paid"),
          ].filter(Boolean);
          return h("p", { class: "hint" }, t("Storefront {code}", { code: owner.storefront.countryCode }),
            found.map((one) => [" ", h("span", { class: "chip warn" }, one)]));
        }

        function card(one) {
          const what = one.displayName;
          return h("article", { class: "card", "aria-label": what },
            h("h3", null, what),
            h("p", { class: "price" }, money(one.price, one.currency),
              one.period && h("small", null, " / ", period(one.period))),
            h("p", { class: "hint" }, h("code", null, one.productId)),
            h("p", { class: "hint" }, [
              one.groupLevel !== undefined && t("level {n}", { n: one.groupLevel }),
              one.offers.length > 0 && t("offers: {n}", { n: one.offers.length }),
              one.isFamilyShareable && t("family sharing"),
              !one.isForSale && t("not for sale"),
            ].filter(Boolean).join(" · ")),
            h("div", { class: "actions" },
              doer(t("Buy"), () => buy(one, {}), { key: `buy ${one.productId}`, kind: "strong" }),
              h("button", {
                type: "button", "data-key": `buy in another way ${one.productId}`,
                "aria-label": t("Buy {what} in another way", { what }), click: () => buyDialog(one),
              }, t("Options…")),
              h("button", {
                type: "button", class: "quiet", "data-key": `edit ${one.productId}`,
                "aria-label": t("Change price or sale of {what}", { what }),
                click: () => productDialog(one),
              }, t("Edit…"))));
        }

        async function buy(one, options) {
          const owner = buyer();
          const answer = await change("POST", "/purchases", {
            productId: one.productId, environment: view.environment,
            ...(owner ? { accountId: owner.accountId } : {}), ...options,
          });
          return outcome(answer, one.displayName);
        }

        /** What became of a purchase, in words; a failure that was asked for is no error of the page. */
        export function outcome(answer, what) {
          switch (answer.outcome) {
            case "purchased": return t("Bought {what}: transaction {id}. See it under Purchases.",
              { what, id: answer.transactionId });
            case "pending": return t("{what} waits for approval under Purchases.", { what });
            case "cancelled": return t("The customer closed the payment sheet; nothing was bought.");
            default: return t("Not bought: {code}. {message}",
              { code: answer.failure?.code ?? answer.outcome, message: answer.failure?.message ?? "" });
          }
        }

        const failures = [
          "unknown", "networkError", "systemError", "notAvailableInStorefront", "notEntitled",
          "purchaseNotAllowed", "productUnavailable", "ineligibleForOffer", "invalidOfferIdentifier",
          "invalidOfferPrice", "invalidOfferSignature", "missingOfferParameters", "paymentInvalid",
          "cloudServiceNetworkConnectionFailed", "privacyAcknowledgementRequired",
        ];

        export const offerWords = {
          introductory: "introductory", promotional: "promotional", code: "offer code",
          winBack: "win-back",
        };

        function buyDialog(one) {
          const offers = one.offers.filter((offer) => offer.type !== "introductory" && offer.id);
          ask({
            title: t("Buy {what}", { what: one.displayName }), button: t("Buy"),
            text: t("For the account {who}.", { who: buyer()?.accountId ?? "default" }),
            fields: [
              ...(one.type === "Consumable" || one.type === "Non-Renewing Subscription" ? [{
                name: "quantity", label: t("How many"), type: "number", min: 1, max: 10, value: 1,
              }] : []),
              {
                name: "outcome", label: t("What happens"), type: "radio", value: "purchase", options: [
                  ["purchase", t("It is paid")],
                  ["askToBuy", t("Ask to Buy"), t("A parent has to approve it; you decide under Purchases.")],
                  ["interrupt", t("Interrupted"),
                    t("Something must be done in Settings first; it can be completed later.")],
                  ["cancel", t("Cancelled"), t("The customer closes the payment sheet.")],
                  ["fail", t("Fails"), t("With an error that you choose.")],
                ],
              },
              {
                name: "failure", label: t("Error"), type: "select", value: "unknown",
                options: failures.map((name) => [name, name]), when: (now) => now.outcome === "fail",
              },
              ...(offers.length > 0 ? [{
                name: "offer", label: t("Offer"), type: "select", value: "",
                options: [["", t("none, or the introductory one if it is due")],
                  ...offers.map((offer, index) => [String(index),
                    `${t(offerWords[offer.type])}: ${offer.id} (${offer.displayPrice})`])],
              }] : []),
              {
                name: "appAccountToken", label: t("App account token"), placeholder: t("none"),
                hint: t("A UUID by which your server knows its user; it is signed into the transaction."),
                button: { label: t("Make one"), make: uuid },
              },
              {
                name: "outsideApp", label: t("On the App Store's own page, outside the app"), type: "check",
                value: false,
              },
            ],
            work({ quantity, outcome: end, failure, offer, appAccountToken, outsideApp }) {
              const chosen = offer ? offers[Number(offer)] : undefined;
              return buy(one, {
                quantity: quantity ?? 1, outsideApp,
                ...(end === "purchase" ? {} : { outcome: end }),
                ...(end === "fail" ? { failure } : {}),
                ...(chosen ? { offer: { kind: chosen.type, offerId: chosen.id } } : {}),
                ...(appAccountToken ? { appAccountToken } : {}),
              });
            },
          });
        }

        // `crypto.randomUUID` exists on secure origins alone, and the store may be on another machine.
        export function uuid() {
          const bytes = crypto.getRandomValues(new Uint8Array(16));
          bytes[6] = (bytes[6] & 15) | 64;
          bytes[8] = (bytes[8] & 63) | 128;
          const text = [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
          return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
        }

        function productDialog(one) {
          ask({
            title: one.displayName, button: t("Save"),
            text: t("A new price is for new purchases. Under Purchases you can raise it for a subscriber."),
            fields: [
              {
                name: "price", label: t("Price in {currency}", { currency: one.currency }), type: "number",
                min: 0, step: "0.01", value: one.price / 1000, required: true,
              },
              { name: "isForSale", label: t("For sale"), type: "check", value: one.isForSale },
            ],
            async work({ price, isForSale }) {
              await change("PATCH", path`/catalog/${one.productId}`,
                { price: Math.round(price * 1000), isForSale });
              return t("Saved.");
            },
          });
        }

        function loadCatalog() {
          const input = h("input", {
            type: "file", accept: ".storekit,.json", class: "away",
            async change() {
              const [file] = input.files;
              const text = await file.text();
              input.remove();
              ask({
                title: t("Load {name}?", { name: file.name }), button: t("Load"),
                text: t("The products are replaced. What was bought stays."), fields: [],
                async work() {
                  await change("PUT", path`/catalog?name=${file.name}`, text);
                  return t("The catalog is loaded.");
                },
              });
            },
          });
          document.body.append(input);
          input.click();
        }

        function makeCodes() {
          const offers = store.info.products.flatMap((one) => one.offers
            .filter((offer) => offer.type === "code").map((offer) => [one, offer]));
          if (offers.length === 0) {
            ask({
              title: t("Make offer codes"), text: t("No product of this catalog has a code offer."),
              fields: [], button: t("Close"), work: () => undefined,
            });
            return;
          }
          ask({
            title: t("Make offer codes"), button: t("Make"),
            fields: [
              {
                name: "offer", label: t("Offer"), type: "select", value: "0",
                options: offers.map(([one, offer], index) =>
                  [String(index), `${one.displayName}: ${offer.id}`]),
              },
              { name: "count", label: t("How many"), type: "number", min: 1, max: 100, value: 3 },
              { name: "code", label: t("A code of your own"), placeholder: t("none: made up") },
            ],
            async work({ offer, count, code }) {
              const [one, wanted] = offers[Number(offer)];
              const answer = await call("POST", "/offer-codes", {
                productId: one.productId, offerId: wanted.id, count: count ?? 1, ...(code ? { code } : {}),
              });
              return t("Redeem in the app: {codes}", { codes: answer.codes.join(", ") });
            },
          });
        }

        function promote() {
          const devices = store.devices.filter((one) => one.environment === view.environment);
          ask({
            title: t("Tap a promoted purchase"), button: t("Tap"),
            text: devices.length === 0
              ? t("There is no device yet. Let your app launch against this store, or buy something first.")
              : t("As if the customer tapped it on the App Store: the app opens and is asked to buy."),
            fields: devices.length === 0 ? [] : [
              {
                name: "deviceId", label: t("Device"), type: "select", value: devices[0].deviceId,
                options: devices.map((one) => [one.deviceId, `${one.accountId ?? "–"} · ${one.deviceId}`]),
              },
              {
                name: "productId", label: t("Product"), type: "select",
                value: store.info.products[0]?.productId,
                options: store.info.products.map((one) => [one.productId, one.displayName]),
              },
            ],
            async work(values) {
              if (devices.length === 0) return undefined;
              await change("POST", "/promoted-purchases", values);
              return t("The app is asked to buy {what}.", { what: productName(values.productId) });
            },
          });
        }
        """#
}
