extension StorePage {
    /// Words for what happened.
    static let wordsScript = #"""
        // Words for what happened.
        import { t, money } from "./base.js";
        import { product, productName } from "./state.js";

        /** What an event of the log says to people. */
        export const eventWords = {
          purchased: "Bought", renewed: "Renewed", expired: "Expired", refunded: "Refunded",
          refundRequested: "A refund was asked for", refundDeclined: "The refund was declined",
          refundReversed: "The refund was reversed", revoked: "Taken back", upgraded: "Upgraded",
          extended: "Extended", priceIncrease: "The price goes up",
          priceDeclined: "The higher price was refused", declined: "Declined", restored: "Restored",
          consumption: "The server told of consumption", family: "The family was set",
          account: "An account was made", launched: "An app was launched",
          historyCleared: "The purchase history was cleared", catalog: "Another catalog",
          notification: "Notification", failed: "Not bought", deferred: "Waiting for approval",
        };

        /** The colour of an event. */
        export const eventTone = {
          purchased: "good", renewed: "good", upgraded: "good", extended: "good", refundReversed: "good",
          expired: "warn", priceIncrease: "warn", priceDeclined: "warn", declined: "warn",
          refundRequested: "warn", refunded: "bad", revoked: "bad", failed: "bad", deferred: "warn",
        };

        /** What else is known of an event: the product and, in words, the store's own detail. */
        export function eventDetail(one) {
          return [one.productId && productName(one.productId), detailWords(one)].filter(Boolean).join(" · ");
        }

        function detailWords({ kind, detail, productId }) {
          if (!detail || kind === "launched") return "";
          const part = /^(\d+) thousandths of a percent$/.exec(detail);
          if (part) return t("{n} %", { n: Number(part[1]) / 1000 });
          const price = /^(\d+) milliunits(, with consent)?$/.exec(detail);
          if (!price) return detail;
          const amount = money(Number(price[1]), product(productId)?.currency ?? "USD");
          return price[2] ? t("{amount}, the customer must agree", { amount }) : amount;
        }
        """#
}
