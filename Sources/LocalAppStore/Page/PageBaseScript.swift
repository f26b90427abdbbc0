extension StorePage {
    /// What every part of the page uses: elements, money, dates, calls and messages.
    static let baseScript = #"""
        // What every part of the page uses: elements, money, dates, calls and messages.
        import { chinese } from "./chinese.js";

        const asked = localStorage.getItem("language") ?? navigator.language ?? "en";
        export const language = asked.toLowerCase().startsWith("zh") ? "zh" : "en";
        const locale = language === "zh" ? "zh-CN" : "en-GB";

        /** The text in the reader's language, with `{name}` replaced by values. */
        export function t(text, values = {}) {
          const found = language === "zh" ? chinese[text] ?? text : text;
          return found.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
        }

        /** An element. Data only ever becomes text, never markup. */
        export function h(tag, properties, ...children) {
          const element = document.createElement(tag);
          for (const [name, value] of Object.entries(properties ?? {})) {
            if (value === undefined || value === null || value === false) continue;
            if (typeof value === "function") element.addEventListener(name, value);
            else if (name === "checked") element.checked = true;
            else if (name !== "value") element.setAttribute(name, value === true ? "" : value);
          }
          element.append(...pieces(children));
          if (properties?.value !== undefined) element.value = properties.value;
          return element;
        }

        function pieces(children) {
          return children.flat(Infinity)
            .filter((child) => child !== null && child !== undefined && child !== false);
        }

        const drawn = new WeakMap();

        /** Draws a part anew if its data changed; the focus stays where it was. */
        export function draw(host, data, make) {
          const text = JSON.stringify(data);
          if (drawn.get(host) === text) return;
          drawn.set(host, text);
          const active = document.activeElement;
          const key = active && host.contains(active) ? active.dataset.key : undefined;
          const open = [...host.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key);
          host.replaceChildren(...pieces([make()]));
          for (const details of host.querySelectorAll("details[data-key]")) {
            if (open.includes(details.dataset.key)) details.open = true;
          }
          if (key) host.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
        }

        /** A price in milliunits, for people. */
        export function money(milliunits, currency) {
          try {
            return new Intl.NumberFormat(locale, { style: "currency", currency })
              .format(milliunits / 1000);
          } catch {
            return `${milliunits / 1000} ${currency}`;
          }
        }

        const longDate = new Intl.DateTimeFormat(locale, {
          timeZone: "UTC", year: "numeric", month: "short", day: "numeric", hour: "2-digit",
          minute: "2-digit", second: "2-digit", hourCycle: "h23",
        });
        const shortTime = new Intl.DateTimeFormat(locale, {
          timeZone: "UTC", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
        });
        const dayAndWeek = new Intl.DateTimeFormat(locale, {
          timeZone: "UTC", weekday: "short", year: "numeric", month: "long", day: "numeric",
        });

        /** A moment of the store's clock, in UTC. */
        export const moment = (milliseconds) => longDate.format(milliseconds);
        export const timeOfDay = (milliseconds) => shortTime.format(milliseconds);
        export const day = (milliseconds) => dayAndWeek.format(milliseconds);

        /** A length of time, as `5 min`. */
        export function span(milliseconds) {
          const units = [
            ["{n} years", 31536e6], ["{n} days", 864e5], ["{n} h", 36e5], ["{n} min", 6e4],
            ["{n} s", 1e3],
          ];
          for (const [word, length] of units) {
            const limit = word === "{n} years" ? 2 * length : word === "{n} days" ? 2 * length : length;
            if (milliseconds >= limit) return t(word, { n: Math.round(milliseconds / length) });
          }
          return t("less than a second");
        }

        /** An ISO 8601 period in words, as `month` or `3 months`. */
        export function period(text) {
          const found = /^P(\d+)([DWMY])$/.exec(text ?? "");
          if (!found) return text ?? "";
          const count = Number(found[1]);
          const unit = { D: "day", W: "week", M: "month", Y: "year" }[found[2]];
          return count === 1 ? t(unit) : t(`{n} ${unit}s`, { n: count });
        }

        /** Why the store said no. */
        export class Refusal extends Error {}

        /** Calls the control API; throws a `Refusal` with the store's own words. */
        export async function call(method, path, body, signal) {
          let response;
          try {
            response = await fetch("/control/v1" + path, {
              method, signal, cache: "no-store",
              headers: body === undefined ? {} : { "Content-Type": "application/json" },
              body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
            });
          } catch (error) {
            if (error.name === "AbortError") throw error;
            throw new Refusal(t("The store does not answer. Is it still running?"));
          }
          const text = await response.text();
          let value = null;
          try {
            value = text ? JSON.parse(text) : null;
          } catch {
            throw new Refusal(t("The store gave an answer that is no JSON."));
          }
          if (response.ok) return value;
          const title = t(value?.title ?? `HTTP ${response.status}`);
          throw new Refusal(value?.detail ? `${title}: ${value.detail}` : title);
        }

        /** The path with each piece of data encoded. */
        export function path(parts, ...values) {
          return parts.reduce((text, part, index) => text + encodeURIComponent(values[index - 1]) + part);
        }

        /** Says something at the foot of the window for a while. */
        export function say(text, isProblem = false) {
          const host = document.getElementById("messages");
          const message = h("p", { class: isProblem ? "message bad" : "message" }, text);
          host.append(message);
          while (host.children.length > 2) host.firstChild.remove();
          setTimeout(() => message.remove(), isProblem ? 9000 : 4000);
        }

        /** A button that does something with the store; a failure is told beside it. */
        export function doer(label, work, { key, kind = "", title, disabled } = {}) {
          return h("button", {
            type: "button", class: kind, title, disabled, "data-key": key ?? label,
            async click(event) {
              const button = event.currentTarget;
              // Not `disabled`: that would take the focus away from who uses the keyboard.
              if (button.ariaDisabled === "true") return;
              const place = button.closest(".actions") ?? button;
              clearProblem(place);
              button.ariaDisabled = "true";
              try {
                const said = await work(event);
                if (said) say(said);
              } catch (error) {
                showProblem(place, error.message);
              } finally {
                button.ariaDisabled = null;
              }
            },
          }, label);
        }

        /** A choice that changes something at once; it goes back if the store refuses. */
        export function chooser({ id, label, value, options, work }) {
          const select = h("select", {
            id, value, "data-key": id, "aria-label": label,
            async change() {
              clearProblem(select);
              try {
                await work(select.value);
              } catch (error) {
                select.value = value;
                showProblem(select, error.message);
              }
            },
          }, options.map(([name, text]) => h("option", { value: name }, text)));
          return select;
        }

        export function clearProblem(place) {
          if (place.nextElementSibling?.classList.contains("problem")) place.nextElementSibling.remove();
        }

        export function showProblem(place, text) {
          clearProblem(place);
          place.after(h("p", { class: "problem", role: "alert" }, text));
        }

        /** A button that copies a text; it says what, where nothing beside it does. */
        export function copier(text, what, saysWhat = false) {
          const label = saysWhat ? t("Copy {what}", { what }) : t("Copy");
          return h("button", {
            type: "button", class: saysWhat ? "" : "quiet", "data-key": `copy ${what}`,
            "aria-label": t("Copy {what}", { what }),
            async click(event) {
              const button = event.currentTarget;
              try {
                await navigator.clipboard.writeText(text);
              } catch {
                copyTheOldWay(text);
              }
              button.textContent = t("Copied");
              setTimeout(() => { button.textContent = label; }, 1500);
            },
          }, label);
        }

        // Browsers keep the clipboard from pages that come over plain HTTP from another machine.
        function copyTheOldWay(text) {
          const field = h("textarea", { value: text, class: "away" });
          document.body.append(field);
          field.select();
          document.execCommand("copy");
          field.remove();
        }

        /** A button that saves bytes as a file. */
        export function saver(label, name, bytes, type) {
          return h("button", {
            type: "button", "data-key": `save ${name}`,
            click() {
              const url = URL.createObjectURL(new Blob([bytes], { type }));
              h("a", { href: url, download: name }).click();
              setTimeout(() => URL.revokeObjectURL(url), 10000);
            },
          }, label);
        }

        export const bytesOf = (base64) => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

        /** The payload of a JWS, not checked; nothing if it is none. */
        export function opened(jws) {
          try {
            const text = jws.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
            return JSON.parse(new TextDecoder().decode(bytesOf(text)));
          } catch {
            return undefined;
          }
        }

        /** A JWS payload with the signed texts within it opened too. */
        export function openedDeep(value) {
          if (typeof value === "string" && /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) {
            const inner = opened(value);
            return inner === undefined ? value : openedDeep(inner);
          }
          if (Array.isArray(value)) return value.map(openedDeep);
          if (value && typeof value === "object") {
            return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, openedDeep(one)]));
          }
          return value;
        }
        """#
}
