import TestKit
import Testing

@Suite struct WordsTests {
    @Test func `without words till says what it can do`() throws {
        let outcome = try TillProcess.run([])
        #expect(outcome.exitCode == 64)
        #expect(outcome.text.contains("usage: till COMMAND"))
        #expect(outcome.text.contains("verify"))
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func `help is no mistake`(_ words: [String]) throws {
        #expect(try TillProcess.run(words).exitCode == 0)
    }

    @Test func `a wrong word says which was meant`() throws {
        let outcome = try TillProcess.run(["verfy"])
        #expect(outcome.exitCode == 64)
        #expect(outcome.complaints.contains("did you mean verify?"))
        let option = try TillProcess.run(["verify", "--rot", "x"])
        #expect(option.exitCode == 64)
        #expect(option.complaints.contains("did you mean --root?"))
    }

    @Test func `an option without its value and one given twice are refused`() throws {
        #expect(try TillProcess.run(["verify", "--root"]).exitCode == 64)
        #expect(try TillProcess.run(["verify", "--json", "--json"]).exitCode == 64)
        #expect(try TillProcess.run(["verify", "--json=yes"]).exitCode == 64)
        #expect(try TillProcess.run(["verify", "a", "b"]).exitCode == 64)
    }
}
