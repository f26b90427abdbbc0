extension StorePage {
    /// What the page knows of the store, and how it hears of changes.
    static let stateScript = #"""
        // What the page knows of the store, and how it hears of changes.
        import { call } from "./base.js";

        /** The store, as it was read last. */
        export const store = {
          info: null, accounts: [], devices: [], transactions: [], total: 0, subscriptions: [],
          waiting: [], notifications: [], faults: { plan: { rules: [] }, struck: [] }, errors: [],
          calls: [], events: [], isReachable: true, readAt: 0,
        };

        /** What the reader looks at; kept by the browser. */
        export const view = {
          environment: null, account: "", whose: "", tab: "shop", open: null, showsOwnCalls: false, pages: 1,
          ...JSON.parse(localStorage.getItem("view") ?? "{}"),
        };

        const listeners = [];

        /** Calls the function after each change of the store or the view. */
        export function onChange(listener) { listeners.push(listener); }

        function tellAll() { for (const listener of listeners) listener(); }

        /** Changes what the reader looks at. */
        export function look(change) {
          Object.assign(view, change);
          const { environment, account, tab, showsOwnCalls } = view;
          localStorage.setItem("view", JSON.stringify({ environment, account, tab, showsOwnCalls }));
          tellAll();
        }

        /** The product's name for people. */
        export function productName(id) {
          return store.info?.products.find((one) => one.productId === id)?.displayName ?? id;
        }

        export const product = (id) => store.info?.products.find((one) => one.productId === id);

        /** What the store's clock shows now. */
        export function storeNow() {
          const clock = store.info.clock;
          return clock.now + (Date.now() - store.readAt) * clock.rate;
        }

        /** The settings of the environment that is looked at. */
        export function settings() {
          return store.info.environments.find((one) => one.environment === view.environment)
            ?? store.info.environments[0];
        }

        /** A name that is not yet taken by anybody stands for the environment's usual account. */
        export function buyer() {
          const known = store.accounts.filter((one) => one.environment === view.environment);
          return known.find((one) => one.accountId === view.account) ?? known[0];
        }

        let running = null;
        let isWanted = false;

        /** Reads everything again; calls in between are put together. */
        export function refresh() {
          if (running) {
            isWanted = true;
            return running;
          }
          running = read().finally(() => {
            running = null;
            if (isWanted) {
              isWanted = false;
              setTimeout(refresh, 300);
            }
          });
          return running;
        }

        async function read() {
          try {
            const [info, accounts, devices, subscriptions, waiting, notifications, faults, errors] =
              await Promise.all([
                "/info", "/accounts", "/devices", "/subscriptions", "/waiting-purchases",
                "/notifications", "/faults", "/simulated-errors",
              ].map((place) => call("GET", place)));
            const found = [];
            let total = 0;
            for (let page = 0; page < view.pages; page += 1) {
              const before = found.at(-1)?.transaction.transactionId;
              const answer = await call("GET", "/transactions" + (before ? `?before=${before}` : ""));
              found.push(...answer.transactions);
              total = answer.total;
              if (found.length >= total) break;
            }
            Object.assign(store, {
              info, accounts: accounts.accounts, devices: devices.devices,
              subscriptions: subscriptions.subscriptions, waiting: waiting.purchases,
              notifications: notifications.notifications, faults, errors: errors.errors,
              transactions: found, total, isReachable: true, readAt: Date.now(),
            });
          } catch (error) {
            store.isReachable = false;
            if (!store.info) throw error;
          }
          tellAll();
        }

        /** Does something and reads the store again before it returns. */
        export async function change(method, place, body) {
          const answer = await call(method, place, body);
          await refresh();
          if (isWanted) await refresh();
          return answer;
        }

        let timer = null;

        /** Reads again soon, however often this is asked for. */
        export function refreshSoon(delay = 150) {
          timer ??= setTimeout(() => {
            timer = null;
            refresh();
          }, delay);
        }

        const kept = 500;

        /** Follows one of the two logs for ever; rests while nobody looks at the page. */
        export async function follow(name, after = 0, onNews = () => {}) {
          let cursor = after;
          let isFresh = after === 0;
          for (;;) {
            if (document.hidden) {
              await new Promise((resume) => {
                document.addEventListener("visibilitychange", resume, { once: true });
              });
              continue;
            }
            try {
              const answer = await call("GET", `/${name}?after=${cursor}&wait=${isFresh ? 0 : 25}`);
              const news = answer[name];
              cursor = answer.cursor;
              if (isFresh) refreshSoon();
              else if (news.length === 0) continue;
              store.isReachable = true;
              store[name] = [...(isFresh ? [] : store[name]), ...news].slice(-kept);
              isFresh = false;
              onNews(news);
              tellAll();
            } catch {
              store.isReachable = false;
              // A store that was started again may count from the beginning.
              cursor = 0;
              isFresh = true;
              tellAll();
              await new Promise((resume) => setTimeout(resume, 2000));
            }
          }
        }
        """#
}
