extension Array {
    /// Everything in a sequence that ends.
    init<Source: AsyncSequence>(_ source: Source) async
    where Source.Element == Element, Source.Failure == Never {
        self = []
        for await element in source { append(element) }
    }
}
