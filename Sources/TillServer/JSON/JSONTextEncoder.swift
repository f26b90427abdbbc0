/// Writes ``JSONText`` while a value tells of itself.
///
/// Members are written as they come, and where they did not come in the order of their names, put in that order
/// when their object ends. One encoder serves a value and all that is in it: what is within a value is told
/// of before the value goes on. A container that is handed out to be filled whenever it pleases, which hardly
/// any type does, gets an encoder of its own, and its text is put in at the end.
final class JSONTextEncoder: Encoder {
    fileprivate var page = JSONPage()

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// What was written.
    var text: JSONText { page.text }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        page.begin(.object, "{")
        return KeyedEncodingContainer(KeyedJSON(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        page.begin(.array, "[")
        return ListedJSON(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleJSON(encoder: self) }

    /// Writes a value where a value belongs.
    func write(_ value: some Encodable) throws {
        let outer = page.open()
        try value.encode(to: self)
        page.close(within: outer)
    }

    /// An encoder of its own for what belongs here.
    fileprivate func elsewhere() -> JSONTextEncoder {
        let encoder = JSONTextEncoder()
        page.leaveRoom(for: encoder)
        return encoder
    }
}

/// The text of a ``JSONTextEncoder``, and the values in it that have not ended.
private struct JSONPage {
    enum Form {
        case nothing, single, array, object
    }

    /// The value that is being written.
    struct Value {
        var form = Form.nothing
        /// How many elements or members it has.
        var count = 0
        /// Where its members begin in ``members``.
        var firstMember = 0
        /// Where its containers begin in ``later``.
        var firstLater = 0
    }

    struct Member {
        let name: String
        /// Where the quote before its name is.
        var start: Int
    }

    private(set) var text = JSONText()
    private var value = Value()
    /// Those of every value that has not ended, of the outermost first.
    private var members: [Member] = []
    /// Containers of their own, and where their text belongs.
    private var later: [(encoder: JSONTextEncoder, place: Int)] = []

    init() { members.reserveCapacity(32) }

    /// How many elements or members the value has so far.
    var count: Int { value.count }

    mutating func begin(_ form: Form, _ mark: Unicode.Scalar) {
        // One who asks for a second container goes on in the first.
        guard value.form != form else { return }
        value.form = form
        text.append(mark: mark)
    }

    /// Opens a value within the present one, which is given back.
    mutating func open() -> Value {
        let outer = value
        value = Value(firstMember: members.count, firstLater: later.count)
        return outer
    }

    /// Ends the value that was opened within another.
    mutating func close(within outer: Value) {
        end()
        value = outer
        becomeSingle()
    }

    // MARK: Writing

    mutating func write(_ flag: Bool) {
        flag ? text.append(word: "true") : text.append(word: "false")
        becomeSingle()
    }
    mutating func write(_ words: String) {
        text.append(words)
        becomeSingle()
    }
    mutating func write(_ number: Double) throws {
        try text.append(number)
        becomeSingle()
    }
    mutating func write(_ number: Int64) {
        text.append(number)
        becomeSingle()
    }
    mutating func write(_ number: UInt64) {
        text.append(number)
        becomeSingle()
    }
    mutating func writeNull() {
        text.append(word: "null")
        becomeSingle()
    }

    private mutating func becomeSingle() {
        if value.form == .nothing { value.form = .single }
    }

    /// Makes room for the next element or member.
    mutating func next() {
        if value.count > 0 { text.append(mark: ",") }
        value.count += 1
    }

    /// Names the member that follows.
    mutating func name(_ name: String) {
        next()
        members.append(Member(name: name, start: text.count))
        text.append(name)
        text.append(mark: ":")
    }

    mutating func leaveRoom(for encoder: JSONTextEncoder) { later.append((encoder, text.count)) }

    // MARK: Ending

    mutating func end() {
        insertWhatCameLater()
        switch value.form {
        case .nothing: text.append(word: "{}")
        case .single: break
        case .array: text.append(mark: "]")
        case .object:
            sortMembers()
            text.append(mark: "}")
            members.removeLast(members.count - value.firstMember)
        }
    }

    private mutating func insertWhatCameLater() {
        while later.count > value.firstLater, let (encoder, place) = later.popLast() {
            encoder.page.end()
            text.insert(encoder.text.bytes, at: place)
            for member in value.firstMember..<members.count where members[member].start > place {
                members[member].start += encoder.text.count
            }
        }
    }

    /// Up to so many members are put in order by moving each to its place, which for more would take their square.
    private static let fewMembers = 24

    private func orderOfFew(_ range: Range<Int>) -> [Int] {
        var order: [Int] = []
        order.reserveCapacity(range.count)
        for member in range {
            var place = order.count
            while place > 0, members[member].name < members[order[place - 1]].name { place -= 1 }
            if place > 0, members[order[place - 1]].name == members[member].name {
                order[place - 1] = member
            } else {
                order.insert(member, at: place)
            }
        }
        return order
    }

    private func orderOfMany(_ range: Range<Int>) -> [Int] {
        let sorted = range.sorted { (members[$0].name, $0) < (members[$1].name, $1) }
        return zip(sorted, sorted.dropFirst().map { members[$0].name as String? } + [nil])
            .compactMap { member, next in next == members[member].name ? nil : member }
    }

    /// Puts the members in order; of a name that came twice the later counts.
    private mutating func sortMembers() {
        let (first, end) = (value.firstMember, members.count)
        var isSorted = true
        var place = first + 1
        while place < end {
            if !(members[place - 1].name < members[place].name) { isSorted = false }
            place += 1
        }
        if isSorted { return }
        let order =
            end - first <= Self.fewMembers ? orderOfFew(first..<end) : orderOfMany(first..<end)
        text.rearrange(
            from: members[first].start,
            order.map { member in
                let next = member + 1 < end ? members[member + 1].start - 1 : text.count
                return members[member].start..<next
            })
    }
}

/// An object's members.
private struct KeyedJSON<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONTextEncoder
    var codingPath: [any CodingKey] { [] }

    private func at(_ key: Key) -> JSONTextEncoder {
        encoder.page.name(key.stringValue)
        return encoder
    }

    func encodeNil(forKey key: Key) { at(key).page.writeNull() }
    func encode(_ value: Bool, forKey key: Key) { at(key).page.write(value) }
    func encode(_ value: String, forKey key: Key) { at(key).page.write(value) }
    func encode(_ value: Double, forKey key: Key) throws { try at(key).page.write(value) }
    func encode(_ value: Float, forKey key: Key) throws { try at(key).page.write(Double(value)) }
    func encode(_ value: Int, forKey key: Key) { at(key).page.write(Int64(value)) }
    func encode(_ value: Int8, forKey key: Key) { at(key).page.write(Int64(value)) }
    func encode(_ value: Int16, forKey key: Key) { at(key).page.write(Int64(value)) }
    func encode(_ value: Int32, forKey key: Key) { at(key).page.write(Int64(value)) }
    func encode(_ value: Int64, forKey key: Key) { at(key).page.write(value) }
    func encode(_ value: UInt, forKey key: Key) { at(key).page.write(UInt64(value)) }
    func encode(_ value: UInt8, forKey key: Key) { at(key).page.write(UInt64(value)) }
    func encode(_ value: UInt16, forKey key: Key) { at(key).page.write(UInt64(value)) }
    func encode(_ value: UInt32, forKey key: Key) { at(key).page.write(UInt64(value)) }
    func encode(_ value: UInt64, forKey key: Key) { at(key).page.write(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try at(key).write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { at(key).elsewhere().container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        at(key).elsewhere().unkeyedContainer()
    }

    // A superclass's values stand under a name of their own.
    func superEncoder() -> any Encoder {
        encoder.page.name("super")
        return encoder.elsewhere()
    }
    func superEncoder(forKey key: Key) -> any Encoder { at(key).elsewhere() }
}

/// A list's elements.
private struct ListedJSON: UnkeyedEncodingContainer {
    let encoder: JSONTextEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.page.count }

    private var next: JSONTextEncoder {
        encoder.page.next()
        return encoder
    }

    func encodeNil() { next.page.writeNull() }
    func encode(_ value: Bool) { next.page.write(value) }
    func encode(_ value: String) { next.page.write(value) }
    func encode(_ value: Double) throws { try next.page.write(value) }
    func encode(_ value: Float) throws { try next.page.write(Double(value)) }
    func encode(_ value: Int) { next.page.write(Int64(value)) }
    func encode(_ value: Int8) { next.page.write(Int64(value)) }
    func encode(_ value: Int16) { next.page.write(Int64(value)) }
    func encode(_ value: Int32) { next.page.write(Int64(value)) }
    func encode(_ value: Int64) { next.page.write(value) }
    func encode(_ value: UInt) { next.page.write(UInt64(value)) }
    func encode(_ value: UInt8) { next.page.write(UInt64(value)) }
    func encode(_ value: UInt16) { next.page.write(UInt64(value)) }
    func encode(_ value: UInt32) { next.page.write(UInt64(value)) }
    func encode(_ value: UInt64) { next.page.write(value) }
    func encode(_ value: some Encodable) throws { try next.write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { next.elsewhere().container(keyedBy: type) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        next.elsewhere().unkeyedContainer()
    }
    func superEncoder() -> any Encoder { next.elsewhere() }
}

/// A value that stands for itself.
private struct SingleJSON: SingleValueEncodingContainer {
    let encoder: JSONTextEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { encoder.page.writeNull() }
    func encode(_ value: Bool) { encoder.page.write(value) }
    func encode(_ value: String) { encoder.page.write(value) }
    func encode(_ value: Double) throws { try encoder.page.write(value) }
    func encode(_ value: Float) throws { try encoder.page.write(Double(value)) }
    func encode(_ value: Int) { encoder.page.write(Int64(value)) }
    func encode(_ value: Int8) { encoder.page.write(Int64(value)) }
    func encode(_ value: Int16) { encoder.page.write(Int64(value)) }
    func encode(_ value: Int32) { encoder.page.write(Int64(value)) }
    func encode(_ value: Int64) { encoder.page.write(value) }
    func encode(_ value: UInt) { encoder.page.write(UInt64(value)) }
    func encode(_ value: UInt8) { encoder.page.write(UInt64(value)) }
    func encode(_ value: UInt16) { encoder.page.write(UInt64(value)) }
    func encode(_ value: UInt32) { encoder.page.write(UInt64(value)) }
    func encode(_ value: UInt64) { encoder.page.write(value) }
    func encode(_ value: some Encodable) throws { try encoder.write(value) }
}
