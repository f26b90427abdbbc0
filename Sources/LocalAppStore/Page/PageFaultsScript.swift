extension StorePage {
    /// What goes wrong on purpose: a switch for each thing, in plain words.
    static let faultsScript = #"""
        // What goes wrong on purpose: a switch for each thing, in plain words.
        import { h, t, draw, doer, chooser, moment } from "./base.js";
        import { ask } from "./dialog.js";
        import { store, change } from "./state.js";
        import { toggle } from "./people.js";

        const hour = 3600e3;

        // Each switch is one rule of the plan; its name says which.
        const switches = [
          ["Your server calls Apple", [
            ["slow", "Apple answers slowly", "Every answer takes 5 seconds.",
              { kind: "delay", on: "/inApps/*", milliseconds: 5000 }],
            ["server-error", "Apple has an error (500)", "The Server API answers GeneralInternalError.",
              { kind: "error", on: "/inApps/*", status: 500, errorCode: 5000000 }],
            ["rate-limit", "Too many requests (429)", "With a Retry-After in Apple's way.",
              { kind: "rateLimit", on: "/inApps/*" }],
            ["unauthorized", "The token is refused (401)", "With Apple's empty answer.",
              { kind: "unauthorized", on: "/inApps/*" }],
            ["dropped", "The connection breaks", "After the work was done, before the answer.",
              { kind: "drop", on: "/inApps/*" }],
            ["receipt-21009", "verifyReceipt is ill (21009)", "Apple's “internal data access error”.",
              { kind: "error", on: "/verifyReceipt", status: 21009 }],
            ["receipt-slow", "verifyReceipt answers slowly", "Every answer takes 5 seconds.",
              { kind: "delay", on: "/verifyReceipt", milliseconds: 5000 }],
            ["receipt-retry", "verifyReceipt asks to try again (21100)", "With is-retryable.",
              { kind: "error", on: "/verifyReceipt", status: 21100, isRetryable: true }],
          ]],
          ["Notifications to your server", [
            ["twice", "Each comes twice", "The same notification, the same UUID.",
              { kind: "duplicate", on: "notification/*" }],
            ["new-uuid", "Each comes twice under a new UUID", "As Apple sometimes does.",
              { kind: "newUUID", on: "notification/*" }],
            ["late", "Each comes an hour late", "On the store's clock.",
              { kind: "lateNotification", on: "notification/*", milliseconds: hour }],
            ["order", "They come in the wrong order", "Each after the one that follows it.",
              { kind: "reorder", on: "notification/*" }],
            ["early", "They come before the purchase is answered",
              "Your server hears of it before your app does.", { kind: "earlyNotification", on: "purchase" }],
            ["lost", "They get lost on the way", "Nothing arrives; production tries again later.",
              { kind: "drop", on: "delivery/*" }],
            ["torn", "They arrive cut off", "The body ends too early.", { kind: "cut", on: "delivery/*" }],
          ]],
          ["Signatures", [
            ["bad-signature", "The signature does not fit", "Somebody changed the text.",
              { kind: "wrongSignature", on: "signing/*" }],
            ["old-certificate", "The certificate was over", "Signed after its certificate's end.",
              { kind: "expiredCertificate", on: "signing/*" }],
            ["foreign-root", "Signed by a stranger", "Under another root than the store's.",
              { kind: "foreignRoot", on: "signing/*" }],
            ["no-marker", "Apple's mark is missing", "The certificate is not for signing purchases.",
              { kind: "missingMarker", on: "signing/*" }],
            ["new-words", "Words that nobody knows yet", "As when Apple adds something.",
              { kind: "unknownValue", on: "signing/*" }],
            ["new-fields", "Fields that nobody knows yet", "As when Apple adds something.",
              { kind: "unknownField", on: "signing/*" }],
          ]],
          ["Receipts", [
            ["unsorted", "Purchases in no order", "Do not trust the last one to be the latest.",
              { kind: "unsortedReceipt", on: "*" }],
            ["empty", "A receipt without purchases", "As right after an installation.",
              { kind: "emptyReceipt", on: "*" }],
            ["sha1", "The older form (SHA-1)", "As Apple made them until 2023.",
              { kind: "sha1Receipt", on: "signing/receipt" }],
          ]],
          ["The app", [
            ["second-id", "One purchase under two ids", "Grant it once all the same.",
              { kind: "secondID", on: "device" }],
            ["no-username", "The username is forgotten", "StoreKit 1 loses applicationUsername.",
              { kind: "forgetUsername", on: "device" }],
            ["repeat", "The app hears of each purchase twice", "Both must end in one.",
              { kind: "repeatEvent", on: "device" }],
            ["early-event", "The event comes before the answer",
              "The transaction listener is faster than the purchase call.",
              { kind: "earlyEvent", on: "device" }],
          ]],
        ];

        const known = new Map(switches.flatMap(([, rows]) => rows.map((row) => [row[0], row])));

        /** A rule in words. */
        export function ruleWords(rule) {
          const row = known.get(rule.ruleId);
          const often = rule.probability < 1
            ? ` (${t("{n} %", { n: Math.round(rule.probability * 100) })})`
            : rule.times ? ` (${t("{n} times", { n: rule.times })})` : "";
          return (row ? t(row[1]) : t("{kind} on {place}", { kind: rule.kind, place: rule.on })) + often;
        }

        const apis = [
          ["Load Products", "Products cannot be loaded"], ["Purchase", "A purchase fails"],
          ["Verification", "The device's own check fails"], ["App Store Sync", "Restoring fails"],
          ["Subscription Status", "Statuses cannot be read"],
          ["App Transaction", "The app transaction cannot be read"],
          ["Manage Subscriptions Sheet", "The subscriptions sheet fails"],
          ["Refund Request Sheet", "The refund sheet fails"],
          ["Offer Code Redeem Sheet", "Redeeming a code fails"],
        ];

        const generic = ["networkError", "systemError", "notEntitled", "notAvailableInStorefront",
          "unsupported", "userCancelled", "unknown"];
        const codes = {
          Purchase: [...generic, "invalidQuantity", "productUnavailable", "purchaseNotAllowed",
            "ineligibleForOffer", "invalidOfferSignature"],
          Verification: ["invalidSignature", "revokedCertificate", "invalidCertificateChain",
            "invalidDeviceVerification", "invalidEncoding", "missingRequiredProperties"],
          "Refund Request Sheet": ["duplicateRequest", "failed"],
        };

        const seldom = { always: {}, half: { probability: 0.5 }, tenth: { probability: 0.1 } };
        let often = "always";

        /** The whole part. */
        export function drawFaults(host) {
          const { plan, struck } = store.faults;
          draw(host, [plan, struck, store.errors, often], () => [
            h("p", { class: "hint" }, t("Switch something on and watch what your server and your app make "
              + "of it. Nothing here harms what was bought.")),
            h("div", { class: "bar" },
              h("label", { for: "often" }, t("What I switch on happens")),
              h("select", {
                id: "often", "data-key": "often", value: often,
                change: (event) => { often = event.target.value; },
              }, h("option", { value: "always" }, t("every time")),
              h("option", { value: "half" }, t("half of the time, at random")),
              h("option", { value: "tenth" }, t("one time in ten, at random")))),
            h("div", { class: "columns" }, switches.map(([title, rows]) => h("section", { class: "card" },
              h("h2", null, t(title)),
              h("div", { class: "switches" }, rows.map(([name, label, hint, rule]) => toggle({
                key: `fault ${name}`, label: t(label), hint: t(hint),
                isOn: plan.rules.some((one) => one.ruleId === name),
                change: (isOn) => setRule(name, isOn ? { ...rule, ...seldom[often] } : null),
              }))))),
            h("section", { class: "card" },
              h("h2", null, t("StoreKit on the device")),
              apis.map(([api, label]) => errorRow(api, label)))),
            ownRules(plan),
            h("h2", null, t("What was struck")),
            struck.length === 0
              ? h("p", { class: "empty" }, t("Nothing yet. It is told here each time a fault strikes."))
              : h("ol", { class: "attempts" }, struck.slice(0, 30).map((one) =>
                h("li", null, moment(one.date), ": ", h("strong", null, ruleWords(one)), " ",
                  h("code", null, one.on)))),
          ]);
        }

        async function setRule(name, rule) {
          const { plan } = store.faults;
          const rules = plan.rules.filter((one) => one.ruleId !== name);
          if (rule) rules.push({ ruleId: name, ...rule });
          await change("PUT", "/faults", { ...plan, rules });
        }

        function errorRow(api, label) {
          const now = store.errors.find((one) => one.api === api)?.code ?? "";
          const id = `api-${api.replace(/ /g, "-")}`;
          return h("div", { class: "field across" },
            h("label", { for: id }, t(label)),
            h("div", null, chooser({
              id, value: now,
              options: [["", t("no")],
                ...new Set([...(codes[api] ?? generic), ...(now ? [now] : [])])]
                .map((one) => (Array.isArray(one) ? one : [one, one])),
              async work(code) {
                const errors = store.errors.filter((one) => one.api !== api);
                if (code) errors.push({ api, code });
                await change("PUT", "/simulated-errors", { errors });
              },
            })));
        }

        function ownRules(plan) {
          const others = plan.rules.filter((one) => !known.has(one.ruleId));
          return h("section", null,
            h("h2", null, t("Rules of your own")),
            others.length > 0 && h("ul", { class: "rows" }, others.map((one, index) =>
              h("li", { class: "row" },
                h("div", null, h("strong", null, ruleWords(one)),
                  h("p", { class: "hint" }, JSON.stringify(one))),
                h("div", { class: "actions" }, doer(t("Remove"), async () => {
                  await change("PUT", "/faults",
                    { ...plan, rules: plan.rules.filter((each) => each !== one) });
                }, { key: `remove rule ${index}` }))))),
            h("div", { class: "actions" },
              h("button", { type: "button", "data-key": "add rule", click: addRule }, t("Add a rule…"))));
        }

        const everyKind = [
          "delay", "drop", "refuse", "duplicate", "reorder", "cut", "error", "rateLimit", "unauthorized",
          "wrongSignature", "expiredCertificate", "foreignRoot", "missingMarker", "sha1Receipt",
          "berReceipt", "xcodeDates", "unsortedReceipt", "emptyReceipt", "secondID", "earlyNotification",
          "lateNotification", "newUUID", "unknownValue", "unknownField", "futurePurchaseDate",
          "lateOriginalDate", "forgetUsername", "repeatEvent", "earlyEvent",
        ];

        function addRule() {
          const number = (name, label, more = {}) => ({ name, label: t(label), type: "number", ...more });
          const forDelay = (now) => ["delay", "lateNotification"].includes(now.kind);
          ask({
            title: t("Add a rule"), button: t("Add"),
            fields: [
              {
                name: "kind", label: t("What goes wrong"), type: "select", value: "delay",
                options: everyKind.map((one) => [one, one]),
              },
              {
                name: "on", label: t("Where"), value: "*", required: true,
                hint: t("* for everywhere; a path as /inApps/*; signing/transaction, signing/receipt, "
                  + "notification/REFUND, delivery/*, purchase or device."),
              },
              number("percent", "Percent of the times", { value: 100, min: 1, max: 100 }),
              number("skip", "How many times it goes well first", { value: 0, min: 0 }),
              number("times", "How often at the most (empty: no limit)", { min: 1 }),
              number("milliseconds", "Milliseconds", { value: 1000, min: 0, when: forDelay }),
              number("status", "HTTP status, or status of verifyReceipt",
                { value: 500, when: (now) => now.kind === "error" }),
              number("errorCode", "Apple's error code", { when: (now) => now.kind === "error" }),
              number("bytes", "How many bytes remain", { min: 0, when: (now) => now.kind === "cut" }),
            ],
            async work({ kind, on, percent, skip, times, milliseconds, status, errorCode, bytes }) {
              const rule = {
                ruleId: `own-${Date.now()}`, kind, on, probability: (percent ?? 100) / 100,
                skip: skip ?? 0, times,
                ...(forDelay({ kind }) ? { milliseconds } : {}),
                ...(kind === "error" ? { status, errorCode } : {}), ...(kind === "cut" ? { bytes } : {}),
              };
              const { plan } = store.faults;
              await change("PUT", "/faults", { ...plan, rules: [...plan.rules, rule] });
              return t("The rule is on.");
            },
          });
        }
        """#
}
