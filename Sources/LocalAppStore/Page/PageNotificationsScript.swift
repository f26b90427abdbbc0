extension StorePage {
    /// Server notifications: where they go, what was sent, and sending again.
    static let notificationsScript = #"""
        // Server notifications: where they go, what was sent, and sending again.
        import { h, t, draw, doer, moment, span, call, copier, openedDeep, path } from "./base.js";
        import { ask } from "./dialog.js";
        import { store, view, change, settings, productName, storeNow } from "./state.js";
        import { rates, rateWords } from "./people.js";

        const words = {
          SUBSCRIBED: "Subscribed", "SUBSCRIBED/INITIAL_BUY": "Subscribed for the first time",
          "SUBSCRIBED/RESUBSCRIBE": "Subscribed again", DID_RENEW: "Renewed",
          "DID_RENEW/BILLING_RECOVERY": "Renewed after the payment was repaired",
          "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": "Renewal turned off",
          "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": "Renewal turned on",
          DID_CHANGE_RENEWAL_PREF: "Change of plan undone",
          "DID_CHANGE_RENEWAL_PREF/UPGRADE": "Upgraded, from now on",
          "DID_CHANGE_RENEWAL_PREF/DOWNGRADE": "Will change the plan at the next renewal",
          DID_FAIL_TO_RENEW: "The renewal could not be paid",
          "DID_FAIL_TO_RENEW/GRACE_PERIOD": "The renewal could not be paid: grace period",
          GRACE_PERIOD_EXPIRED: "The grace period is over", EXPIRED: "Expired",
          "EXPIRED/VOLUNTARY": "Expired: renewal was off",
          "EXPIRED/BILLING_RETRY": "Expired: the payment was never repaired",
          "EXPIRED/PRICE_INCREASE": "Expired: the higher price was not accepted",
          "EXPIRED/PRODUCT_NOT_FOR_SALE": "Expired: no longer for sale",
          PRICE_INCREASE: "Price increase", "PRICE_INCREASE/PENDING": "Price increase: asked to agree",
          "PRICE_INCREASE/ACCEPTED": "Price increase accepted", PRICE_CHANGE: "Price change",
          OFFER_REDEEMED: "Offer redeemed", "OFFER_REDEEMED/UPGRADE": "Offer redeemed with an upgrade",
          "OFFER_REDEEMED/DOWNGRADE": "Offer redeemed for another plan later",
          REFUND: "Refunded", REFUND_DECLINED: "Refund declined", REFUND_REVERSED: "Refund reversed",
          CONSUMPTION_REQUEST: "Apple asks for consumption data", REVOKE: "Family sharing ended",
          ONE_TIME_CHARGE: "Bought", RENEWAL_EXTENDED: "Period extended",
          RENEWAL_EXTENSION: "Mass extension", "RENEWAL_EXTENSION/SUMMARY": "Mass extension done",
          "RENEWAL_EXTENSION/FAILURE": "Mass extension failed", TEST: "Test",
        };

        /** A notification's type in words. */
        export function notificationWords(one) {
          const full = one.subtype ? `${one.notificationType}/${one.subtype}` : one.notificationType;
          return t(words[full] ?? words[one.notificationType] ?? full);
        }

        /** How its delivery stands: words, and a tone. */
        export function deliveryState(one) {
          const last = one.attempts.at(-1);
          if (last?.result === "SUCCESS") return [t("Delivered"), "good"];
          if (one.nextAttempt !== undefined) {
            const wait = one.nextAttempt - storeNow();
            return last
              ? [t("Failed {n} times, tried again {when}", {
                n: one.attempts.length,
                when: wait > 0 ? t("in {time}", { time: span(wait) }) : t("now"),
              }), "warn"] : [t("On its way"), "plain"];
          }
          return last ? [t("Failed: {why}", { why: resultWords(last) }), "bad"]
            : [t("Kept, not sent: no URL was set"), "plain"];
        }

        const results = {
          SUCCESS: "delivered", TIMED_OUT: "no answer in time", NO_RESPONSE: "no answer",
          TLS_ISSUE: "no safe connection", CIRCULAR_REDIRECT: "redirected in a circle",
          INVALID_RESPONSE: "the answer could not be read", UNSUPPORTED_CHARSET: "unknown character set",
          SOCKET_ISSUE: "the connection broke", UNSUCCESSFUL_HTTP_RESPONSE_CODE: "an error",
          PREMATURE_CLOSE: "the connection closed too early", OTHER: "another reason",
        };

        function resultWords(attempt) {
          const text = t(results[attempt.result] ?? attempt.result);
          return attempt.status === undefined ? text : `${text} (HTTP ${attempt.status})`;
        }

        const idOf = (one) => one.notificationUUID;
        const openBodies = new Map();

        /** The whole part. */
        export function drawNotifications(host) {
          const now = settings();
          const found = store.notifications.filter((one) => one.environment === view.environment);
          draw(host, [now, found, [...openBodies.keys()]], () => [
            h("div", { class: "card target" },
              h("h2", null, t("Where they go")),
              now.notificationUrl
                ? h("p", { class: "long" }, h("code", null, now.notificationUrl), " ",
                  h("span", { class: "hint" }, t("version {n}", { n: now.notificationVersion })))
                : h("p", { class: "empty" },
                  t("Nowhere yet: notifications are kept here but not sent. Set your server's URL.")),
              h("p", { class: "hint" }, [
                `${t(view.environment)}:`, rateWords(now.renewalRate), "·",
                now.gracePeriodDays ? t("{n} days of grace", { n: now.gracePeriodDays })
                  : t("no grace period"),
              ].join(" ")),
              h("div", { class: "actions" },
                h("button", {
                  type: "button", class: "strong", "data-key": "set url", click: () => setTarget(now),
                }, t("Set URL…")),
                doer(t("Send a test"), async () => {
                  await change("POST", `/test-notification?environment=${view.environment}`);
                  return t("The test is on its way.");
                }, { disabled: !now.notificationUrl, title: now.notificationUrl ? "" : t("Set a URL first") }),
                h("button", {
                  type: "button", "data-key": "environment", click: () => setEnvironment(now),
                }, t("Renewals and grace…")))),
            h("h2", null, t("Notifications")),
            found.length === 0
              ? h("p", { class: "empty" }, t("None yet. They arise when something is bought, renewed, "
                + "expired or refunded."))
              : h("ul", { class: "rows" }, found.map(row)),
          ]);
        }

        function row(one) {
          const id = idOf(one);
          const [state, tone] = deliveryState(one);
          const body = openBodies.get(id);
          return h("li", { class: "row", "data-id": id },
            h("div", null, h("strong", null, notificationWords(one)), " ",
              h("span", { class: `chip ${tone}` }, state),
              h("p", { class: "hint" }, h("code", null, one.notificationType,
                one.subtype && ` / ${one.subtype}`), one.version === 1 && " V1"),
              h("p", { class: "hint" }, [moment(one.date), one.accountId,
                one.transactionId && t("transaction {id}", { id: one.transactionId })]
                .filter(Boolean).join(" · "))),
            h("div", { class: "actions" },
              doer(one.attempts.length > 0 ? t("Send again") : t("Send"), async () => {
                const answer = await change("POST", path`/notifications/${id}/send`);
                const last = answer.attempts.at(-1);
                return last ? t("Sent: {how}.", { how: resultWords(last) }) : t("It is on its way.");
              }, { key: `send ${id}` }),
              doer(body ? t("Hide body") : t("Show body"), async () => {
                if (body) openBodies.delete(id);
                else openBodies.set(id, (await call("GET", path`/notifications/${id}`)).payload ?? "");
                drawNotifications(document.getElementById("part-notifications"));
              }, { key: `body ${id}` })),
            one.attempts.length > 0 && h("ol", { class: "attempts" }, one.attempts.map((each) =>
              h("li", null, moment(each.date), ": ", resultWords(each)))),
            body !== undefined && bodyOf(body));
        }

        function bodyOf(text) {
          let value = text;
          try {
            value = openedDeep(JSON.parse(text));
          } catch {
            // Whatever it is, it is shown as it is.
          }
          return h("div", { class: "signed" },
            h("div", { class: "actions" }, h("h4", null, t("As it is sent")), copier(text, t("the body"))),
            h("pre", { class: "long", tabindex: 0, "aria-label": t("As it is sent") }, text),
            h("h4", null, t("What is in it")),
            h("pre", { tabindex: 0, "aria-label": t("What is in it") },
              typeof value === "string" ? value : JSON.stringify(value, null, 2)));
        }

        function setTarget(now) {
          ask({
            title: t("Where notifications go"), button: t("Save"),
            fields: [
              {
                name: "notificationUrl", label: "URL", type: "url", value: now.notificationUrl ?? "",
                placeholder: "http://127.0.0.1:8080/v1/apps/…/notifications",
                hint: t("Your server's address for App Store Server Notifications; empty for nowhere."),
              },
              {
                name: "version", label: t("Form"), type: "radio", value: String(now.notificationVersion),
                options: [["2", t("Version 2, signed")], ["1", t("Version 1, Apple's old form")]],
              },
            ],
            async work({ notificationUrl, version }) {
              await change("PATCH", path`/environments/${view.environment}`,
                { notificationUrl, notificationVersion: Number(version) });
              return t("Saved.");
            },
          });
        }

        function setEnvironment(now) {
          ask({
            title: t("Renewals and grace in {environment}", { environment: t(view.environment) }),
            button: t("Save"),
            fields: [
              {
                name: "renewalRate", label: t("How fast subscriptions run"), type: "select",
                value: now.renewalRate,
                options: [...new Set([now.renewalRate, ...rates])].map((one) => [one, rateWords(one)]),
              },
              {
                name: "grace", label: t("Grace period"), type: "select",
                value: String(now.gracePeriodDays ?? 0),
                options: [["0", t("none")], ...[3, 16, 28].map((n) => [String(n), t("{n} days", { n })])],
              },
              {
                name: "graceExcludesTrials", label: t("No grace after a free trial"), type: "check",
                value: now.graceExcludesTrials,
              },
            ],
            async work({ renewalRate, grace, graceExcludesTrials }) {
              await change("PATCH", path`/environments/${view.environment}`,
                { renewalRate, gracePeriodDays: Number(grace), graceExcludesTrials });
              return t("Saved.");
            },
          });
        }
        """#
}
