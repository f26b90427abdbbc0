extension StorePage {
    /// What stands above everything: who the store is, its clock, warnings, and the way to the parts.
    static let frameScript = #"""
        // What stands above everything: who the store is, its clock, warnings, and the way to the parts.
        import { h, t, draw, doer, span, day, timeOfDay, moment, language } from "./base.js";
        import { ask } from "./dialog.js";
        import { store, view, look, change, storeNow, refreshSoon } from "./state.js";
        import { ruleWords } from "./faults.js";

        export const tabs = [
          ["shop", "Shop"], ["purchases", "Purchases"], ["people", "Accounts"],
          ["notifications", "Notifications"], ["faults", "Faults"], ["log", "Log"],
          ["connect", "Connect"],
        ];

        /** Who the store is, and which environment is looked at. */
        export function drawHead(host) {
          const { bundleId, appName } = store.info;
          draw(host, [bundleId, appName, view.environment], () => [
            h("div", { class: "name" },
              h("h1", null, t("Local App Store")),
              h("p", null, appName, " ", h("code", null, bundleId))),
            h("div", { class: "actions" },
              h("div", { class: "choice", role: "group", "aria-label": t("Environment") },
                ["Sandbox", "Production"].map((name) => h("button", {
                  type: "button", "data-key": `environment ${name}`,
                  "aria-pressed": String(view.environment === name),
                  click: () => look({ environment: name, account: "", whose: "", open: null }),
                }, t(name)))),
              h("button", {
                type: "button", class: "quiet", lang: language === "zh" ? "en" : "zh",
                click() {
                  localStorage.setItem("language", language === "zh" ? "en" : "zh");
                  location.reload();
                },
              }, language === "zh" ? "English" : "中文")),
          ]);
        }

        const hour = 3600e3;
        const steps = [["+1 hour", hour], ["+1 day", 24 * hour], ["+1 week", 168 * hour]];

        /** The clock with its buttons; only the time itself changes each second. */
        export function drawClock(host) {
          const { rate, nextEvent } = store.info.clock;
          draw(host, [rate, nextEvent, store.info.clock.rate === 0 ? store.info.clock.now : 0], () => [
            h("div", { class: "time" },
              h("time", { id: "clock" }), h("p", { id: "clock-day" })),
            h("div", { class: "clockwork" },
              h("p", null, h("span", { class: rate === 0 ? "chip warn" : "chip good" },
                rate === 0 ? t("Stopped") : rate === 1 ? t("Running at normal speed")
                  : t("Running {n} times as fast", { n: rate })),
                " ", h("span", { id: "clock-next", class: "hint" })),
              h("div", { class: "actions" },
                rate === 0
                  ? doer(t("Run"), () => move({ rate: 1 }, t("The clock runs.")), { key: "clock run" })
                  : doer(t("Stop"), () => move({ rate: 0 }, t("The clock stands.")), { key: "clock run" }),
                doer(t("Next event"), () => move({ toNextEvent: true }), {
                  disabled: nextEvent === undefined,
                  title: t("Goes to the next thing that the store does on its own, as a renewal"),
                }),
                steps.map(([label, length]) => doer(t(label), () => move({ advanceMilliseconds: length }))),
                doer(t("+1 month"), () => move({ now: monthLater() })),
                h("button", { type: "button", "data-key": "clock set", click: setClock }, t("Set…"))),
            ),
          ]);
          tick();
        }

        async function move(wanted, said) {
          const answer = await change("POST", "/clock", wanted);
          return said ?? t("It is now {date}.", { date: moment(answer.now) });
        }

        function monthLater() {
          const date = new Date(storeNow());
          const wanted = date.getUTCDate();
          date.setUTCDate(1);
          date.setUTCMonth(date.getUTCMonth() + 1);
          const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
          date.setUTCDate(Math.min(wanted, last));
          return date.getTime();
        }

        function setClock() {
          const now = new Date(storeNow());
          ask({
            title: t("Set the clock"), button: t("Set"),
            text: t("Everything that falls due on the way happens in order: renewals, expiries, retries. "
              + "Back is possible only before the first purchase."),
            fields: [
              {
                name: "now", label: t("Date and time (UTC)"), type: "datetime-local", step: 1,
                value: now.toISOString().slice(0, 19),
              },
              {
                name: "rate", label: t("Seconds that pass in each real second"), type: "number", min: 0,
                step: "any", value: store.info.clock.rate, hint: t("1 is normal, 0 stops the clock."),
              },
            ],
            async work({ now: text, rate }) {
              const wanted = {};
              if (rate !== undefined && rate !== store.info.clock.rate) wanted.rate = rate;
              if (text && text.slice(0, 19) !== now.toISOString().slice(0, 19)) {
                wanted.now = Date.parse(text + "Z");
              }
              return move(wanted);
            },
          });
        }

        let lastAsked = 0;

        /** Shows the time; asks the store when something fell due. */
        export function tick() {
          const time = document.getElementById("clock");
          if (!time || !store.info) return;
          const now = storeNow();
          time.textContent = timeOfDay(now);
          time.dateTime = new Date(now).toISOString();
          document.getElementById("clock-day").textContent = `${day(now)} · UTC`;
          const { nextEvent, rate } = store.info.clock;
          document.getElementById("clock-next").textContent =
            nextEvent === undefined ? t("Nothing is planned.")
              : nextEvent > now ? t("Next event in {time}", { time: span(nextEvent - now) })
                : t("Something is due now.");
          if (nextEvent !== undefined && rate > 0 && nextEvent <= now && Date.now() - lastAsked > 1000) {
            lastAsked = Date.now();
            refreshSoon(200);
          }
        }

        /** What the reader must not overlook: faults that are on, a store that is gone. */
        export function drawBanner(host) {
          const { rules } = store.faults.plan;
          const { errors, isReachable } = store;
          draw(host, [rules, errors, isReachable], () => [
            !isReachable && h("p", { class: "banner bad", role: "alert" },
              t("The store does not answer. Is it still running?")),
            rules.length + errors.length > 0 && h("div", { class: "banner warn", role: "status" },
              h("p", null, h("strong", null, t("Faults are on:")), " ",
                [...rules.map(ruleWords), ...errors.map((one) =>
                  t("{api} fails with {code}", { api: one.api, code: one.code }))].join(" · ")),
              h("div", { class: "actions" }, doer(t("Switch all off"), async () => {
                await change("PUT", "/faults", { rules: [] });
                if (errors.length > 0) await change("PUT", "/simulated-errors", { errors: [] });
                return t("All faults are off.");
              }))),
          ]);
        }

        /** The way to the parts. */
        export function drawTabs(host) {
          const waits = store.waiting.filter((one) => one.environment === view.environment).length;
          const faults = store.faults.plan.rules.length + store.errors.length;
          draw(host, [view.tab, waits, faults], () => tabs.map(([name, label]) => {
            const count = name === "purchases" ? waits : name === "faults" ? faults : 0;
            return h("a", {
              href: `#${name}`, "data-key": `tab ${name}`,
              "aria-current": view.tab === name ? "page" : undefined,
            }, t(label), count > 0 && h("span", { class: "count" }, String(count)));
          }));
        }
        """#
}
