extension StorePage {
    /// Words for what happened.
    static let wordsScript = #"""
        // Words for what happened.

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
        """#
}
