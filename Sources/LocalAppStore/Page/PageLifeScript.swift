extension StorePage {
    /// One purchase: what can happen to it now, what did happen, and what was signed.
    static let lifeScript = #"""
        // One purchase: what can happen to it now, what did happen, and what was signed.
        import { h, t, doer, money, moment, copier, opened, path } from "./base.js";
        import { ask } from "./dialog.js";
        import { store, change, product, productName } from "./state.js";
        import { eventWords, eventTone, eventDetail } from "./words.js";
        import { notificationWords, deliveryState } from "./notifications.js";
        import { showReceipt } from "./people.js";
        import { uuid } from "./shop.js";

        /** What stands below a purchase that is opened. */
        export function life({ id, subscription, records }) {
          return h("div", { class: "life" },
            subscription && subscriptionActions(subscription),
            records.length === 1 || !subscription
              ? transactionActions(records[0])
              : [transactionActions(records[0], t("The latest period"))],
            h("h3", null, t("Its life")), timeline(id, records),
            h("h3", null, t("What was signed")),
            h("p", { class: "hint" }, t("A server gets these texts from the app or in a notification, "
              + "and checks them against the store's root.")),
            records.map((record, index) => signed(record, index, records.length, Boolean(subscription))));
        }

        function group(title, buttons) {
          const found = buttons.filter(Boolean);
          return found.length > 0 && h("div", { class: "group" },
            h("h4", null, title), h("div", { class: "actions" }, found));
        }

        function subscriptionActions(one) {
          const place = path`/subscriptions/${one.originalTransactionId}`;
          const act = (body, said) => async () => {
            await change("POST", place, body);
            return t(said);
          };
          const button = (label, action, said, more = {}) => doer(t(label), act({ action, ...more }, said));
          const opener = (label, click) => h("button", {
            type: "button", "data-key": label, click,
          }, t(label));
          const isRunning = [1, 3, 4].includes(one.status);
          const isServed = [1, 4].includes(one.status);
          const isUnpaid = [3, 4].includes(one.status);
          if (one.isFamilyShared) {
            return group(t("The family"), [
              button("Stop sharing", "stopSharing", "The family member lost it."),
            ]);
          }
          return [
            group(t("The customer"), [
              one.autoRenews && isRunning
                && button("Turn renewal off", "turnOff", "Renewal is off; it ends with its period."),
              !one.autoRenews && isRunning && button("Turn renewal on", "turnOn", "Renewal is on again."),
              isUnpaid && button("Repair the payment", "recover", "Paid: the subscription is active again."),
              isServed && opener("Change plan…", () => changePlan(one, place)),
              one.autoRenewProductId !== one.productId
                && button("Keep the current plan", "undoChange", "The change is undone."),
              one.priceIncreaseStatus === 0
                && button("Accept the higher price", "consent", "The customer agreed."),
              one.priceIncreaseStatus === 0
                && button("Refuse the higher price", "declinePrice", "The customer did not agree."),
            ]),
            group(t("The App Store"), [
              isServed && button("Renew now", "renewNow", "The period ended."),
              isRunning && !isUnpaid && button("Let the next charge fail", "setBilling",
                "From now on charges fail. Move the clock past the renewal.", { fails: true }),
              isRunning && !isUnpaid && button("Let charges work", "setBilling",
                "Charges work again.", { fails: false }),
              isRunning && button("Expire now", "expireNow", "The period is over."),
            ]),
            group(t("You, the developer"), [
              isRunning && opener("Raise the price…", () => raisePrice(one, place)),
              isServed && opener("Extend…", () => extend(place)),
              store.accounts.some((each) => each.familyOrganizer === one.accountId) && isRunning
                && button("Stop sharing with the family", "stopSharing", "The family lost it."),
            ]),
            one.status === 2 && h("p", { class: "hint" },
              t("It is over. To begin again, buy the plan in the shop.")),
          ];
        }

        function changePlan(one, place) {
          const plans = store.info.products.filter((each) =>
            each.groupId === one.groupId && each.productId !== one.productId);
          ask({
            title: t("Change plan"), button: t("Change"),
            text: t("A better plan, or one of the same level and length, begins at once; "
              + "another one at the next renewal."),
            fields: [{
              name: "productId", label: t("New plan"), type: "radio", value: plans[0]?.productId,
              options: plans.map((each) => [each.productId, each.displayName,
                `${money(each.price, each.currency)} · ${t("level {n}", { n: each.groupLevel })}`]),
            }],
            async work({ productId }) {
              await change("POST", place, { action: "change", productId });
              return t("The plan is changed to {plan}.", { plan: productName(productId) });
            },
          });
        }

        function raisePrice(one, place) {
          const plan = product(one.productId);
          ask({
            title: t("Raise the price"), button: t("Raise"),
            fields: [
              {
                name: "price", label: t("New price in {currency}", { currency: plan?.currency ?? "" }),
                type: "number", min: 0, step: "0.01", required: true,
                value: ((plan?.price ?? 0) * 1.2 / 1000).toFixed(2),
              },
              {
                name: "consent", label: t("Must the customer agree?"), type: "radio", value: "rule",
                options: [["rule", t("as Apple's rule says")], ["yes", t("yes")], ["no", t("no")]],
              },
            ],
            async work({ price, consent }) {
              await change("POST", place, {
                action: "increasePrice", price: Math.round(price * 1000),
                ...(consent === "rule" ? {} : { needsConsent: consent === "yes" }),
              });
              return t("The price goes up at the next renewal.");
            },
          });
        }

        function extend(place) {
          ask({
            title: t("Extend the period"), button: t("Extend"),
            text: t("At a fast rate days shrink as periods do, in whole minutes: "
              + "where a month takes 5 minutes, 6 days are one."),
            fields: [
              { name: "days", label: t("Days"), type: "number", min: 1, max: 90, value: 30, required: true },
              {
                name: "reasonCode", label: t("Why"), type: "select", value: "1", options: [
                  ["0", t("not said")], ["1", t("the customer was unhappy")], ["2", t("another reason")],
                  ["3", t("the service was down")],
                ],
              },
            ],
            async work({ days, reasonCode }) {
              await change("POST", place, { action: "extend", days, reasonCode: Number(reasonCode) });
              return t("Extended by {n} days.", { n: days });
            },
          });
        }

        function transactionActions(record, title) {
          const { transactionId, revocationDate, isFinished } = record.transaction;
          const place = path`/transactions/${transactionId}`;
          const button = (label, body, said, kind) => doer(t(label), async () => {
            await change("POST", place, body);
            return t(said);
          }, { key: `${label} ${transactionId}`, kind });
          const isHeld = revocationDate === undefined && !record.isFamilyShared;
          return [
            group(title ? `${title}: ${t("money back")}` : t("Money back"), [
              isHeld && button("Refund", { action: "refund" }, "Refunded in full."),
              isHeld && h("button", {
                type: "button", "data-key": `prorated ${transactionId}`, click: () => refundPart(place),
              }, t("Refund a part…")),
              isHeld && record.refund !== "requested" && h("button", {
                type: "button", "data-key": `request ${transactionId}`,
                click: () => requestRefund(place, record),
              }, t("Customer asks for a refund…")),
              record.refund === "requested"
                && button("Decline the refund", { action: "declineRefund" }, "The refund is declined."),
              record.refund === "requested" && button("Ask for consumption data again",
                { action: "askConsumptionAgain" }, "Another CONSUMPTION_REQUEST is sent."),
              record.refund === "refunded"
                && button("Reverse the refund", { action: "reverseRefund" }, "The customer has it back."),
            ]),
            group(title ? `${title}: ${t("the app")}` : t("The app"), [
              !isFinished && button("Finish it", { action: "finish" }, "Finished, as by the app."),
              isHeld && button("Send it under a second id", { action: "duplicate" },
                "The same purchase came under a second transaction id."),
              isHeld && h("button", {
                type: "button", "data-key": `token ${transactionId}`, click: () => setToken(place, record),
              }, t("Set app account token…")),
              doer(t("Show receipt"), () => showReceipt(record.accountId),
                { key: `show receipt ${transactionId}` }),
            ]),
          ];
        }

        function refundPart(place) {
          ask({
            title: t("Refund a part"), button: t("Refund"),
            fields: [{
              name: "percent", label: t("Percent"), type: "number", min: 0.001, max: 100, step: "any",
              value: 50, required: true,
            }],
            async work({ percent }) {
              await change("POST", place, { action: "refund", percentage: Math.round(percent * 1000) });
              return t("{n} percent are refunded.", { n: percent });
            },
          });
        }

        function requestRefund(place, record) {
          const isSandbox = record.environment !== "Production";
          ask({
            title: t("The customer asks for a refund"), button: t("Ask"),
            text: isSandbox ? t("In the sandbox Apple grants it at once, and declines the reason REJECT.")
              : t("It is granted after 48 hours on the store's clock, unless you decide before."),
            fields: [{
              name: "requestReason", label: t("Why"), type: "select", value: "UNINTENDED_PURCHASE",
              options: [
                ["UNINTENDED_PURCHASE", t("did not mean to buy it")],
                ["FULFILLMENT_ISSUE", t("did not get it, or it does not work")],
                ["UNSATISFIED_WITH_PURCHASE", t("is not satisfied")], ["LEGAL", t("for a legal reason")],
                ["OTHER", t("another reason")], ...(isSandbox ? [["REJECT", t("REJECT: gets a no")]] : []),
              ],
            }],
            async work({ requestReason }) {
              await change("POST", place, { action: "requestRefund", requestReason });
              return t("The refund is asked for.");
            },
          });
        }

        function setToken(place, record) {
          ask({
            title: t("App account token"), button: t("Set"),
            fields: [{
              name: "appAccountToken", label: t("A UUID"), value: record.appAccountToken ?? "",
              required: true, button: { label: t("Make one"), make: uuid },
            }],
            async work({ appAccountToken }) {
              await change("POST", place, { action: "setAppAccountToken", appAccountToken });
              return t("The token is set.");
            },
          });
        }

        function timeline(id, records) {
          const names = new Set(records.map((one) => one.transaction.transactionId));
          const told = store.notifications.filter((one) =>
            names.has(one.transactionId) || one.originalTransactionId === id);
          const entries = store.events.filter((one) => names.has(one.transactionId))
            .map((one) => (one.kind === "notification" ? tellingEntry(one, told) : {
              date: one.date, tone: eventTone[one.kind] ?? "plain",
              text: t(eventWords[one.kind] ?? one.kind),
              detail: eventDetail(one),
            }));
          const known = new Set(store.events.map((one) => one.transactionId));
          const earlier = records.filter((one) => !known.has(one.transaction.transactionId))
            .map(({ transaction }) => ({
              // What lies before the log's beginning is still known by its transaction.
              date: transaction.purchaseDate, tone: "good",
              text: transaction.transactionId === transaction.originalTransactionId
                ? t("Bought") : t("A new period"),
              detail: productName(transaction.productId),
            }));
          const all = [...earlier.reverse(), ...entries].reverse();
          return h("ol", { class: "timeline" }, all.map((one) =>
            h("li", { class: one.tone },
              h("time", { datetime: new Date(one.date).toISOString() }, moment(one.date)),
              h("span", null, one.text, one.detail && h("small", null, one.detail)))));
        }

        function tellingEntry(event, told) {
          const [notificationType, subtype] = event.detail.split("/");
          const sent = told.find((one) => one.date === event.date
            && one.transactionId === event.transactionId && one.notificationType === notificationType
            && one.subtype === subtype);
          return {
            date: event.date, tone: "told",
            text: t("Notification: {words}", { words: notificationWords({ notificationType, subtype }) }),
            detail: sent ? deliveryState(sent)[0] : "",
          };
        }

        function signed(record, index, count, isSubscription) {
          const { transactionId, signedTransactionInfo, signedRenewalInfo } = record.transaction;
          return h("details", { "data-key": `signed ${transactionId}` },
            h("summary", null,
              isSubscription ? t("Period {n}", { n: count - index }) : t("Transaction"), " ",
              h("code", null, transactionId)),
            h("dl", { class: "facts" },
              fact(t("Order"), record.orderId), fact(t("Price"), money(record.price, record.currency)),
              fact(t("Account"), record.accountId),
              record.appAccountToken && fact(t("App account token"), record.appAccountToken),
              record.offerKind && fact(t("Offer"), [t(record.offerKind), record.offerId]
                .filter(Boolean).join(": ")),
              record.isUpgraded && fact(t("Upgraded"), t("replaced by a better plan"))),
            jws(t("Signed transaction"), signedTransactionInfo),
            index === 0 && signedRenewalInfo && jws(t("Signed renewal info"), signedRenewalInfo));
        }

        function fact(name, value) { return [h("dt", null, name), h("dd", null, value)]; }

        /** A signed text, and what is in it. */
        export function jws(title, text) {
          return h("div", { class: "signed" },
            h("div", { class: "actions" }, h("h4", null, title), copier(text, title)),
            h("pre", { class: "long", tabindex: 0, "aria-label": title }, text),
            h("pre", { tabindex: 0, "aria-label": t("Decoded") }, JSON.stringify(opened(text), null, 2)));
        }
        """#
}
