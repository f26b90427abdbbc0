extension StorePage {
    /// Begins, and draws the part that is looked at.
    static let mainScript = #"""
        // Begins, and draws the part that is looked at.
        import { call, h, t, language } from "./base.js";
        import { store, view, look, onChange, refresh, refreshSoon, follow } from "./state.js";
        import { drawHead, drawClock, drawBanner, drawTabs, tabs, tick } from "./frame.js";
        import { drawShop } from "./shop.js";
        import { drawPurchases } from "./purchases.js";
        import { drawPeople } from "./people.js";
        import { drawNotifications } from "./notifications.js";
        import { drawFaults } from "./faults.js";
        import { drawLog, drawLive } from "./log.js";
        import { drawConnect } from "./connect.js";

        const parts = {
          shop: drawShop, purchases: drawPurchases, people: drawPeople, notifications: drawNotifications,
          faults: drawFaults, log: drawLog, connect: drawConnect,
        };
        const part = (name) => document.getElementById(name);

        function drawAll() {
          if (!store.info) return;
          drawHead(part("head"));
          drawClock(part("clockwork"));
          drawBanner(part("banner"));
          drawTabs(part("tabs"));
          for (const [name] of tabs) {
            const host = part(`part-${name}`);
            host.hidden = view.tab !== name;
            if (!host.hidden) parts[name](host);
          }
          // Where the whole log is, a second one beside it says nothing new.
          document.body.classList.toggle("alone", view.tab === "log");
          if (view.tab !== "log") drawLive(part("live"));
        }

        function goWhereTheAddressSays() {
          const wanted = location.hash.slice(1);
          if (parts[wanted] && wanted !== view.tab) {
            look({ tab: wanted });
            window.scrollTo({ top: 0 });
            part("tabs").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
          }
        }

        /** Whether a call may have changed something that no event tells of. */
        const changes = (news) => news.some((one) => one.fault || (!one.isOutgoing && one.method !== "GET"));

        async function begin() {
          document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
          document.title = t("Local App Store");
          part("skip").textContent = t("Skip to the content");
          part("tabs").setAttribute("aria-label", t("Parts"));
          part("live").setAttribute("aria-label", t("Live log"));
          if (parts[location.hash.slice(1)]) view.tab = location.hash.slice(1);
          onChange(drawAll);
          window.addEventListener("hashchange", goWhereTheAddressSays);
          // The port's own environment is what the store noted for this page's first calls.
          await call("GET", "/clock");
          const { calls, cursor } = await call("GET", "/calls?after=0");
          view.portEnvironment = calls.findLast((one) => !one.isOutgoing)?.environment;
          view.environment ??= view.portEnvironment ?? "Sandbox";
          store.calls = calls;
          await refresh();
          part("waiting").remove();
          setInterval(tick, 1000);
          follow("calls", cursor, (news) => { if (changes(news)) refreshSoon(); });
          follow("events", 0, () => refreshSoon());
          document.addEventListener("visibilitychange", () => { if (!document.hidden) refreshSoon(0); });
        }

        begin().catch((error) => {
          part("waiting").replaceChildren(h("p", { class: "banner bad", role: "alert" }, error.message),
            h("button", { type: "button", click: () => location.reload() }, t("Try again")));
        });
        """#
}
