extension StorePage {
    /// One dialog for everything that needs more than a click.
    static let dialogScript = #"""
        // One dialog for everything that needs more than a click.
        import { h, t, say, clearProblem, showProblem } from "./base.js";

        /**
         * Asks for some values and does something with them; stays open while the store refuses.
         *
         * A field has `name`, `label`, `type` (text, number, select, check, checks, radio), `value`, `options`,
         * `hint`, and `when`, which tells from all values whether it is shown.
         */
        export function ask({ title, text, fields, button, work, kind = "strong" }) {
          const rows = fields.map((field) => row(field));
          const send = h("button", { type: "submit", class: kind }, button);
          const actions = h("div", { class: "actions end" },
            h("button", { type: "button", click: () => dialog.close() }, t("Cancel")), send);
          const form = h("form", { method: "dialog" },
            h("h2", { id: "dialog-title" }, title), text && h("p", { class: "hint" }, text),
            rows.map((one) => one.element), actions);
          const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);

          const values = () => Object.fromEntries(rows.map((one) => [one.field.name, one.read()]));
          const arrange = () => {
            const now = values();
            for (const one of rows) one.element.hidden = one.field.when ? !one.field.when(now) : false;
          };
          form.addEventListener("input", arrange);
          form.addEventListener("change", arrange);
          form.addEventListener("submit", async (event) => {
            event.preventDefault();
            clearProblem(actions);
            send.disabled = true;
            try {
              const said = await work(values());
              dialog.close();
              if (said) say(said);
            } catch (error) {
              showProblem(actions, error.message);
            } finally {
              send.disabled = false;
            }
          });
          // A click on the shade closes; one inside lands on the form.
          dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
          const before = document.activeElement;
          dialog.addEventListener("close", () => {
            dialog.remove();
            const key = before?.dataset?.key;
            const again = before?.isConnected ? before
              : key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
            again?.focus?.();
          });
          arrange();
          document.body.append(dialog);
          dialog.showModal();
        }

        let count = 0;

        function row(field) {
          const id = `field-${++count}`;
          const hint = field.hint && h("p", { class: "hint", id: `${id}-hint` }, field.hint);
          const common = {
            id, name: field.name, autocomplete: "off",
            "aria-describedby": field.hint ? `${id}-hint` : undefined,
          };
          if (field.type === "check") {
            const input = h("input", { ...common, type: "checkbox", checked: field.value });
            return {
              field, read: () => input.checked,
              element: h("div", { class: "field" }, h("label", { class: "check" }, input, field.label), hint),
            };
          }
          if (field.type === "checks" || field.type === "radio") return group(field, id, hint);
          let input;
          if (field.type === "select") {
            input = h("select", { ...common, value: field.value },
              field.options.map(([value, label]) => h("option", { value }, label)));
          } else {
            input = h("input", {
              ...common, type: field.type ?? "text", value: field.value ?? "", min: field.min,
              max: field.max, step: field.step, required: field.required, placeholder: field.placeholder,
              spellcheck: "false",
            });
          }
          const beside = field.button && h("button", {
            type: "button", click: () => { input.value = field.button.make(); },
          }, field.button.label);
          return {
            field,
            read: () => field.type === "number"
              ? (input.value === "" ? undefined : Number(input.value)) : input.value.trim(),
            element: h("div", { class: "field" }, h("label", { for: id }, field.label),
              h("div", { class: "beside" }, input, beside), hint),
          };
        }

        function group(field, id, hint) {
          const type = field.type === "radio" ? "radio" : "checkbox";
          const chosen = [field.value].flat();
          const inputs = field.options.map(([value]) =>
            h("input", { type, name: `${id}-${field.name}`, value, checked: chosen.includes(value) }));
          const labels = field.options.map(([, label, note], index) =>
            h("label", { class: "check" }, inputs[index],
              h("span", null, label, note && h("small", null, note))));
          const read = () => {
            const on = inputs.filter((input) => input.checked).map((input) => input.value);
            return type === "radio" ? on[0] : on;
          };
          return {
            field, read,
            element: h("fieldset", { class: "field" }, h("legend", null, field.label), hint, labels),
          };
        }
        """#
}
