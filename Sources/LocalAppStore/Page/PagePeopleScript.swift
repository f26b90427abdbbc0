extension StorePage {
    /// Apple accounts, their families and their devices.
    static let peopleScript = #"""
        // Apple accounts, their families and their devices.
        import { h, t, draw, doer, chooser, call, copier, path } from "./base.js";
        import { ask } from "./dialog.js";
        import { store, view, look, change } from "./state.js";

        export const rates = [
          "realTime", "sandbox3Minutes", "sandbox5Minutes", "sandbox15Minutes", "sandbox30Minutes",
          "sandbox1Hour", "testFlight", "monthlyRenewalEveryThirtySeconds", "oneRenewalEveryTwoSeconds",
          "oneRenewalEveryTenSeconds", "oneRenewalEveryThirtySeconds", "oneRenewalEveryMinute",
          "oneRenewalEveryFiveMinutes", "oneRenewalEveryFifteenMinutes",
        ];

        const rateTexts = {
          realTime: "real time: a month is a month", sandbox3Minutes: "a month in 3 minutes",
          sandbox5Minutes: "a month in 5 minutes (the sandbox's usual)",
          sandbox15Minutes: "a month in 15 minutes", sandbox30Minutes: "a month in 30 minutes",
          sandbox1Hour: "a month in an hour", testFlight: "a day for every period (TestFlight)",
          monthlyRenewalEveryThirtySeconds: "a month in 30 seconds",
          oneRenewalEveryTwoSeconds: "every period in 2 seconds",
          oneRenewalEveryTenSeconds: "every period in 10 seconds",
          oneRenewalEveryThirtySeconds: "every period in 30 seconds",
          oneRenewalEveryMinute: "every period in a minute",
          oneRenewalEveryFiveMinutes: "every period in 5 minutes",
          oneRenewalEveryFifteenMinutes: "every period in 15 minutes",
        };

        /** A rate of renewals in words. */
        export const rateWords = (name) => t(rateTexts[name] ?? name);

        const storefronts = [
          "USA", "CHN", "HKD", "TWN", "JPN", "KOR", "GBR", "DEU", "FRA", "ITA", "ESP", "NLD", "CHE", "CAN",
          "AUS", "IND", "BRA", "MEX", "SGP", "TUR",
        ].filter((code) => code !== "HKD");

        const flags = [
          ["canMakePayments", "May pay", "Off: a restriction forbids every purchase."],
          ["asksToBuy", "Asks to buy", "A child's account: purchases wait for approval."],
          ["interruptsPurchases", "Purchases are interrupted", "Something must be done in Settings first."],
          ["billingFails", "Renewals cannot be paid", "Subscriptions go into grace or billing retry."],
        ];

        /** The whole part. */
        export function drawPeople(host) {
          const accounts = store.accounts.filter((one) => one.environment === view.environment);
          const devices = store.devices.filter((one) => one.environment === view.environment);
          draw(host, [accounts, devices.map((one) => [one.deviceId, one.accountId, one.platform]),
            view.environment], () => [
            h("h2", null, t("Apple accounts")),
            h("p", { class: "hint" },
              t("Each belongs to one environment and has its own purchases and receipt.")),
            accounts.length === 0 && h("p", { class: "empty" },
              t("Nobody is here yet. Buy something, and the usual account is made; or make one yourself.")),
            h("div", { class: "cards wide" }, accounts.map((one) => accountCard(one, accounts))),
            h("div", { class: "actions spaced" },
              h("button", {
                type: "button", class: "strong", "data-key": "new account", click: () => accountDialog(),
              }, t("New account…")),
              accounts.length > 1 && h("button", {
                type: "button", "data-key": "family", click: () => familyDialog(accounts),
              }, t("Family…"))),
            h("h2", null, t("Devices")),
            devices.length === 0
              ? h("p", { class: "empty" },
                t("A device appears when an app launches against this store, or at the first purchase here."))
              : h("ul", { class: "rows" }, devices.map((one) => deviceRow(one, accounts))),
          ]);
        }

        function accountCard(one, accounts) {
          const others = accounts.filter((each) =>
            each.familyOrganizer === one.accountId && each.accountId !== one.accountId);
          return h("article", { class: "card", "aria-label": one.accountId },
            h("h3", null, one.accountId),
            h("p", { class: "hint" }, [
              one.storefront.countryCode, one.storefront.currency,
              one.renewalRate && rateWords(one.renewalRate),
              one.familyOrganizer === one.accountId
                ? t("organizes a family with {who}",
                  { who: others.map((each) => each.accountId).join(", ") })
                : one.familyOrganizer && t("in the family of {who}", { who: one.familyOrganizer }),
            ].filter(Boolean).join(" · ")),
            h("div", { class: "switches" }, flags.map(([name, label, hint]) => toggle({
              key: `${one.accountId} ${name}`, label: t(label), hint: t(hint), isOn: one[name],
              change: (isOn) => change("PATCH", path`/accounts/${one.accountId}`, { [name]: isOn }),
            }))),
            h("div", { class: "actions" },
              h("button", {
                type: "button", "data-key": `change ${one.accountId}`, click: () => accountDialog(one),
              }, t("Change…")),
              doer(t("Show receipt"), () => showReceipt(one.accountId),
                { key: `receipt ${one.accountId}` }),
              h("button", {
                type: "button", class: "danger", "data-key": `clear ${one.accountId}`,
                click: () => ask({
                  title: t("Forget what {who} bought?", { who: one.accountId }), button: t("Forget"),
                  kind: "danger", fields: [],
                  text: t("As Apple's “Clear Purchase History” for a sandbox tester. It cannot be undone."),
                  async work() {
                    await change("DELETE", path`/accounts/${one.accountId}/history`);
                    return t("Forgotten.");
                  },
                }),
              }, t("Clear history…"))));
        }

        /** A switch that changes something at once; it goes back if the store refuses. */
        export function toggle({ key, label, hint, isOn, change: work }) {
          const input = h("input", {
            type: "checkbox", role: "switch", checked: isOn, "data-key": key, "aria-label": label,
            async change() {
              try {
                await work(input.checked);
              } catch (error) {
                input.checked = !input.checked;
                note.replaceChildren(h("span", { class: "problem", role: "alert" }, error.message));
              }
            },
          });
          const note = h("small", null, hint);
          return h("label", { class: "switch" }, input, h("span", null, label, note));
        }

        function deviceRow(one, accounts) {
          const label = t("Who is signed in on {device}", { device: one.deviceId });
          return h("li", { class: "row" },
            h("div", null, h("strong", null, one.platform), " ", h("code", null, one.deviceId),
              h("p", { class: "hint" }, t("app version {version}", { version: one.appVersion }))),
            h("div", null, chooser({
              id: `sign-in-${one.deviceId}`, label, value: one.accountId ?? "",
              options: [["", t("signed out")], ...accounts.map((each) => [each.accountId, each.accountId])],
              work: (accountId) => change("POST", path`/devices/${one.deviceId}/sign-in`,
                accountId ? { accountId } : {}),
            })));
        }

        /** Makes an account, or changes one. */
        export function accountDialog(one) {
          const known = one && !storefronts.includes(one.storefront.countryCode)
            ? [one.storefront.countryCode] : [];
          ask({
            title: one ? one.accountId : t("New account"), button: one ? t("Save") : t("Make"),
            fields: [
              ...(one ? [] : [{
                name: "accountId", label: t("Name"), placeholder: t("made up"),
                hint: t("As “anna”. It belongs to {environment}.", { environment: t(view.environment) }),
              }]),
              {
                name: "storefront", label: t("Storefront"), type: "select",
                value: one?.storefront.countryCode ?? "USA",
                options: [...known, ...storefronts].map((code) => [code, code]),
              },
              {
                name: "renewalRate", label: t("How fast its subscriptions run"), type: "select",
                value: one?.renewalRate ?? "",
                options: [["", t("as the environment")], ...rates.map((name) => [name, rateWords(name)])],
              },
              ...(one ? [] : flags.map(([name, label, hint]) => ({
                name, label: t(label), hint: t(hint), type: "check", value: name === "canMakePayments",
              }))),
            ],
            async work(values) {
              if (one) {
                await change("PATCH", path`/accounts/${one.accountId}`, values);
                return t("Saved.");
              }
              const wanted = { ...values, environment: view.environment };
              if (!wanted.accountId) delete wanted.accountId;
              if (!wanted.renewalRate) delete wanted.renewalRate;
              const made = await change("POST", "/accounts", wanted);
              look({ account: made.accountId });
              return t("{who} is here and buys from now on.", { who: made.accountId });
            },
          });
        }

        function familyDialog(accounts) {
          const organizer = accounts.find((one) => one.familyOrganizer === one.accountId) ?? accounts[0];
          ask({
            title: t("Family"), button: t("Save"),
            text: t("Members share what the organizer bought, where the product allows it. "
              + "Without members the family ends."),
            fields: [
              {
                name: "organizer", label: t("Organizer"), type: "select", value: organizer.accountId,
                options: accounts.map((one) => [one.accountId, one.accountId]),
              },
              {
                name: "members", label: t("Members"), type: "checks",
                value: accounts.filter((one) => one.familyOrganizer === organizer.accountId)
                  .map((one) => one.accountId),
                options: accounts.map((one) => [one.accountId, one.accountId]),
              },
            ],
            async work({ organizer: head, members }) {
              await change("PUT", "/families",
                { organizer: head, members: members.filter((one) => one !== head) });
              return t("The family is set.");
            },
          });
        }

        /** Shows an account's app receipt. */
        export async function showReceipt(accountId) {
          const answer = await call("GET", path`/receipt?account=${accountId}`);
          const dialog = h("dialog", { "aria-label": t("Receipt") },
            h("div", { class: "form" },
              h("h2", null, t("Receipt of {who}", { who: accountId })),
              h("p", { class: "hint" },
                t("What an app sends as receipt-data: base64 of the file in its bundle.")),
              answer.receipt
                ? h("pre", { class: "long", tabindex: 0 }, answer.receipt)
                : h("p", { class: "empty" }, answer.failure?.message ?? t("There is none yet.")),
              h("div", { class: "actions end" },
                answer.receipt && copier(answer.receipt, t("the receipt")),
                h("button", { type: "button", click: () => dialog.close() }, t("Close")))));
          dialog.addEventListener("close", () => dialog.remove());
          document.body.append(dialog);
          dialog.showModal();
        }
        """#
}
