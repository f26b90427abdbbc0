extension StorePage {
    /// What was bought, newest first, and what waits for somebody.
    static let purchasesScript = #"""
        // What was bought, newest first, and what waits for somebody.
        import { h, t, draw, doer, money, moment, path } from "./base.js";
        import { store, view, look, change, product, productName, refresh } from "./state.js";
        import { outcome } from "./shop.js";
        import { life } from "./life.js";

        const states = {
          1: ["Active", "good"], 2: ["Expired", "plain"], 3: ["Billing retry", "bad"],
          4: ["Grace period", "warn"], 5: ["Revoked", "bad"],
        };

        const intents = {
          1: "the customer turned renewal off", 2: "the renewal could not be paid",
          3: "the customer did not accept the higher price", 4: "the product was no longer for sale",
          5: "for another reason",
        };

        /** The chip of a transaction that is no subscription's. */
        export function transactionState(record) {
          const { revocationDate, isFinished } = record.transaction;
          if (revocationDate !== undefined) {
            return record.refund === "refunded" ? ["Refunded", "bad"] : ["Revoked", "bad"];
          }
          if (record.refund === "requested") return ["Refund asked for", "warn"];
          return isFinished ? ["Paid and finished", "good"] : ["Paid, not finished by the app", "warn"];
        }

        /** The chip of a subscription and a sentence about it. */
        export function subscriptionState(one, records) {
          const [word, tone] = states[one.status] ?? [`Status ${one.status}`, "plain"];
          const latest = records[0];
          const plan = productName(one.autoRenewProductId ?? one.productId);
          switch (one.status) {
            case 1:
              if (one.priceIncreaseStatus === 0) {
                return ["Active, asked to accept a higher price", "warn",
                  t("Ends on {date} unless the customer agrees.", { date: moment(one.expiresDate) })];
              }
              return one.autoRenews
                ? [word, tone, t("Renews on {date} as {plan}.",
                  { date: moment(one.renewalDate ?? one.expiresDate), plan })]
                : ["Active, will end", "warn",
                  t("Renewal is off; it ends on {date}.", { date: moment(one.expiresDate) })];
            case 4: return [word, tone,
              t("The renewal was not paid. The customer keeps access until {date}.",
                { date: moment(one.gracePeriodExpiresDate ?? one.expiresDate) })];
            case 3: return [word, tone,
              t("The renewal was not paid and access is over. The store goes on trying for up to 60 days.")];
            case 2: return [word, tone, t("It ended on {date}: {why}.", {
              date: moment(one.expiresDate), why: t(intents[one.expirationIntent] ?? intents[5]),
            })];
            case 5: return [latest?.refund === "refunded" ? "Refunded" : word, tone,
              t("The App Store took it back.")];
            default: return [word, tone, ""];
          }
        }

        /** Everything bought, put together: a subscription is one thing with its periods. */
        export function purchases() {
          const things = new Map();
          for (const record of store.transactions) {
            if (record.environment !== view.environment) continue;
            if (view.whose && record.accountId !== view.whose) continue;
            const { originalTransactionId, transactionId, type } = record.transaction;
            const isSubscription = type === "Auto-Renewable Subscription";
            const id = isSubscription ? originalTransactionId : transactionId;
            if (!things.has(id)) {
              const subscription = isSubscription
                ? store.subscriptions.find((one) => one.originalTransactionId === id) : undefined;
              things.set(id, { id, subscription, records: [] });
            }
            things.get(id).records.push(record);
          }
          return [...things.values()];
        }

        /** The whole part. */
        export function drawPurchases(host) {
          const waiting = store.waiting.filter((one) => one.environment === view.environment
            && (!view.whose || one.accountId === view.whose));
          const found = purchases();
          const accounts = store.accounts.filter((one) => one.environment === view.environment);
          draw(host, [waiting, found, view, accounts, store.total, store.info.products,
            found.find((one) => one.id === view.open) ? [store.events.length, store.notifications] : 0,
          ], () => [
            h("div", { class: "bar" },
              h("label", { for: "whose" }, t("Whose")),
              h("select", {
                id: "whose", "data-key": "whose", value: view.whose,
                change: (event) => look({ whose: event.target.value, open: null }),
              }, h("option", { value: "" }, t("everybody's")),
              accounts.map((one) => h("option", { value: one.accountId }, one.accountId)))),
            waiting.length > 0 && h("section", null,
              h("h2", null, t("Waiting")), h("ul", { class: "rows" }, waiting.map(waitingRow))),
            h("h2", null, t("Purchases and subscriptions")),
            found.length === 0
              ? h("div", { class: "empty" },
                h("p", null, t("Nothing was bought yet.")),
                h("p", null, h("a", { href: "#shop" }, t("Go to the shop")),
                  " ", t("and press Buy, or let your app buy.")))
              : h("ul", { class: "rows" }, found.map(row)),
            store.transactions.length < store.total && h("div", { class: "actions spaced" },
              doer(t("Show older ones"), async () => {
                look({ pages: view.pages + 1 });
                await refresh();
              }, { key: "older" })),
          ]);
        }

        function waitingRow(one) {
          const decide = (decision, said) => async () => {
            const answer = await change("POST", path`/waiting-purchases/${one.itemId}`, { decision });
            return said ?? outcome(answer, productName(one.productId));
          };
          const isApproval = one.kind === "approval";
          return h("li", { class: "row" },
            h("div", null, h("strong", null, productName(one.productId)),
              one.quantity > 1 ? ` × ${one.quantity}` : "", " ",
              h("span", { class: "chip warn" }, isApproval ? t("Waiting for approval")
                : t("Interrupted: something must be done first")),
              h("p", { class: "hint" }, t("{who} since {date}",
                { who: one.accountId, date: moment(one.date) }))),
            h("div", { class: "actions" }, isApproval ? [
              doer(t("Approve"), decide("approve"), { key: `approve ${one.itemId}`, kind: "strong" }),
              doer(t("Decline"), decide("decline", t("Declined.")), { key: `decline ${one.itemId}` }),
              doer(t("Nobody answers"), decide("lapse", t("It is dropped, as after a day.")),
                { key: `lapse ${one.itemId}` }),
            ] : [
              doer(t("Complete it"), decide("resolve"), { key: `resolve ${one.itemId}`, kind: "strong" }),
              doer(t("Leave it"), decide("lapse", t("It stays failed.")), { key: `lapse ${one.itemId}` }),
            ]));
        }

        function row(thing) {
          const { id, subscription, records } = thing;
          const latest = records[0];
          const isOpen = view.open === id;
          const [word, tone, sentence] = subscription
            ? subscriptionState(subscription, records) : transactionState(latest);
          const name = productName(subscription?.productId ?? latest.transaction.productId);
          const paid = product(latest.transaction.productId);
          return h("li", { class: isOpen ? "row open" : "row", "data-id": id },
            h("button", {
              type: "button", class: "opener", "aria-expanded": String(isOpen), "data-key": `open ${id}`,
              click: () => look({ open: isOpen ? null : id }),
            },
            h("span", { class: "what" },
              h("strong", null, name, latest.quantity > 1 ? ` × ${latest.quantity}` : ""),
              h("span", { class: `chip ${tone}` }, t(word))),
            h("span", { class: "sum" }, money(latest.price, latest.currency ?? paid?.currency)),
            h("span", { class: "hint" }, [
              latest.accountId, moment(latest.transaction.purchaseDate),
              records.length > 1 && t("{n} periods", { n: records.length }),
              latest.isFamilyShared && t("shared by the family"),
            ].filter(Boolean).join(" · ")),
            sentence && h("span", { class: "hint" }, sentence)),
            isOpen && life(thing));
        }
        """#
}
