extension TillCommand {
    /// `till verify`: says what a proof of payment is, whether it is genuine, and what stands in it.
    static let verify = Command(
        syntax: CommandSyntax(
            name: "verify",
            summary: "say what a proof of payment is, whether it is genuine, and what stands in it",
            operands: "[FILE | -]", operandCount: 0...1)
    ) { _ in
        2
    }
}
