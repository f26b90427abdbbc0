extension StorePage {
    /// The live log: every call that came in or went out, and what happened in the store.
    static let logScript = #"""
        // The live log: every call that came in or went out, and what happened in the store.
        import { h, t, draw, timeOfDay, moment, copier } from "./base.js";
        import { store, view, look } from "./state.js";
        import { notificationWords } from "./notifications.js";
        import { eventWords, eventTone, eventDetail } from "./words.js";

        const isOwn = (one) => !one.isOutgoing && one.path.startsWith("/control/");

        /** Calls that the reader wants to see, newest first. */
        function shown(limit) {
          return store.calls.filter((one) => view.showsOwnCalls || !isOwn(one)).slice(-limit).reverse();
        }

        /** The whole part. */
        export function drawLog(host) {
          const calls = shown(200);
          const events = store.events.slice(-200);
          draw(host, [calls.map((one) => one.sequence), events.at(-1)?.sequence, view.showsOwnCalls], () => [
            h("div", { class: "bar" },
              h("label", { class: "check" }, h("input", {
                type: "checkbox", checked: view.showsOwnCalls, "data-key": "own calls",
                change: (event) => look({ showsOwnCalls: event.target.checked }),
              }), t("Show this page's own calls too"))),
            h("div", { class: "halves" },
              h("section", null, h("h2", null, t("Calls")), callList(calls, true)),
              h("section", null, h("h2", null, t("What happened")),
                events.length === 0
                  ? h("p", { class: "empty" }, t("Nothing yet."))
                  : h("ol", { class: "timeline" }, [...events].reverse().map(eventRow)))),
          ]);
        }

        /** The log at the window's side, where there is room. */
        export function drawLive(host) {
          const calls = shown(30);
          const events = store.events.filter((one) => one.kind !== "notification").slice(-5).reverse();
          draw(host, [calls.map((one) => one.sequence), events.map((one) => one.sequence)], () => [
            h("h2", null, t("What happened")),
            events.length === 0
              ? h("p", { class: "empty" }, t("Nothing yet."))
              : h("ol", { class: "timeline small" }, events.map(eventRow)),
            h("h2", null, t("Live log")), callList(calls, false),
          ]);
        }

        function eventRow(one) {
          const isTold = one.kind === "notification";
          const [notificationType, subtype] = isTold ? one.detail.split("/") : [];
          const about = [eventDetail(one), one.accountId].filter(Boolean).join(" · ");
          const words = isTold ? t("Notification: {words}",
            { words: notificationWords({ notificationType, subtype }) }) : t(eventWords[one.kind] ?? one.kind);
          return h("li", { class: isTold ? "told" : eventTone[one.kind] ?? "plain" },
            h("time", { datetime: new Date(one.date).toISOString(), title: moment(one.date) },
              moment(one.date)),
            h("span", null, words, about && h("small", null, about)));
        }

        function callList(calls, hasBodies) {
          if (calls.length === 0) {
            return h("p", { class: "empty" }, t("No call yet. Here appears every call of your server and "
              + "your app, and every notification that goes out, as it happens."));
          }
          return h("ol", { class: "calls", "aria-live": "off" }, calls.map((one) => {
            const tone = one.status === undefined ? "bad" : one.status < 400 ? "good"
              : one.status < 500 ? "warn" : "bad";
            const head = [
              h("span", { class: "way", title: one.isOutgoing ? t("went out") : t("came in") },
                one.isOutgoing ? "→" : "←"),
              h("strong", null, one.method),
              h("code", { title: one.path }, hasBodies ? one.path : pathOf(one.path)),
              h("span", { class: `chip ${tone}` }, one.status ?? t("none")),
              h("span", { class: "rest" },
                h("small", null, `${one.milliseconds < 10 ? one.milliseconds.toFixed(1)
                  : Math.round(one.milliseconds)} ms`),
                h("small", null, timeOfDay(one.date)),
                one.fault && h("span", { class: "chip warn" }, t("fault: {name}", { name: one.fault }))),
            ];
            if (!hasBodies) return h("li", { class: "call" }, head);
            return h("li", null, h("details", { "data-key": `call ${one.sequence}` },
              h("summary", { class: "call" }, head), body(t("Request"), one.request),
              body(t("Answer"), one.response)));
          }));
        }

        // A call that went out has a whole URL, and its host is known.
        function pathOf(text) {
          const found = /^https?:\/\/[^/]+(\/.*)$/.exec(text);
          return found ? found[1] : text;
        }

        function body(title, text) {
          if (!text) return h("p", { class: "hint" }, title, ": ", t("no body"));
          let shownText = text;
          try {
            shownText = JSON.stringify(JSON.parse(text), null, 2);
          } catch {
            // Cut or no JSON: as it came.
          }
          return h("div", { class: "signed" },
            h("div", { class: "actions" }, h("h4", null, title), copier(text, title)),
            h("pre", { tabindex: 0, "aria-label": title }, shownText));
        }
        """#
}
