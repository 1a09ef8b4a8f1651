package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.log.LogLevel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import org.junit.jupiter.api.Test;

class FileLayerTest {

    @Test
    void namesTheNearestKeyOfTheSection() {
        assertThat(faults("imex:\n  isolaton: None\n"))
                .containsExactly("f:2: imex.isolaton: unknown key; the nearest is imex.isolation");
    }

    @Test
    void namesTheNearestSection() {
        assertThat(faults("htpp: {}\n")).containsExactly("f:1: htpp: unknown key; the nearest is http");
    }

    @Test
    void namesTheKeyOfThatNameInAnotherSection() {
        assertThat(faults("isolation: None\n"))
                .containsExactly("f:1: isolation: unknown key; the nearest is imex.isolation");
    }

    @Test
    void ignoresCaseWhenItLooksForTheNearest() {
        assertThat(faults("featureGates:\n  hostManagedImex: true\n"))
                .containsExactly("f:2: featureGates.hostManagedImex: unknown key; the nearest is"
                        + " featureGates.HostManagedIMEX");
    }

    @Test
    void listsTheKnownKeysWhereNoneIsNear() {
        assertThat(faults("http:\n  colour: red\n"))
                .containsExactly("f:2: http.colour: unknown key; known here: address, port, tls");
    }

    @Test
    void refusesDottedKeys() {
        assertThat(faults("http.port: 1\n"))
                .containsExactly("f:1: http.port: unknown key; the nearest is http.port, which is written as nested"
                        + " sections");
    }

    @Test
    void refusesAKeyThatStandsThereTwice() {
        assertThat(faults("http:\n  port: 1\nlog: {}\nhttp:\n  port: 2\n"))
                .containsExactly("f:4: http: stands here a second time; the first is in line 1");
        assertThat(faults("http:\n  port: 1\n  port: 1\n"))
                .containsExactly("f:3: http.port: stands here a second time; the first is in line 2");
    }

    @Test
    void refusesListsSectionsAliasesAndNothingWhereAValueMustBe() {
        assertThat(faults("http:\n  port: [1]\n"))
                .containsExactly("f:2: http.port: is a list; expected a port from 0 to 65535");
        assertThat(faults("http:\n  port: {a: 1}\n"))
                .containsExactly("f:2: http.port: is a section; expected a port from 0 to 65535");
        assertThat(faults("log:\n  level: &l info\nhttp:\n  port: *l\n"))
                .containsExactly("f:4: http.port: is an alias; expected a port from 0 to 65535");
        assertThat(faults("http:\n  port:\n"))
                .containsExactly("f:2: http.port: has no value; expected a port from 0 to 65535");
        assertThat(faults("http:\n  port: null\n"))
                .containsExactly("f:2: http.port: has no value; expected a port from 0 to 65535");
    }

    @Test
    void refusesValuesWhereASectionMustBe() {
        assertThat(faults("http: 9408\n"))
                .containsExactly("f:1: http: is \"9408\"; it must be a section with address, port, tls");
        assertThat(faults("http: [9408]\n"))
                .containsExactly("f:1: http: is a list; it must be a section with address, port, tls");
    }

    @Test
    void refusesADocumentWithoutSections() {
        assertThat(faults("- 1\n")).singleElement().asString().startsWith("f:1: the file must hold sections");
        assertThat(faults("hello\n")).singleElement().asString().startsWith("f:1: the file must hold sections");
    }

    @Test
    void takesSectionsWithoutKeys() {
        assertThat(faults("http:\nlog: {}\n")).isEmpty();
    }

    @Test
    void keepsTheTextOfAValueAsItIsWritten() {
        ConfigDraft draft = read("""
                http:
                  port: 0x10
                log:
                  level: "info"
                node:
                  name: 007
                featureGates:
                  HostManagedIMEX: Yes
                """);

        assertThat(draft.values().find(ConfigKeys.at("log.level"))).contains(LogLevel.INFO);
        assertThat(draft.values().find(ConfigKeys.at("node.name"))).contains("007");
        assertThat(draft.faults())
                .extracting(ConfigFault::text)
                .containsExactly(
                        "f:2: http.port: \"0x10\" is not a port from 0 to 65535",
                        "f:8: featureGates.HostManagedIMEX: \"Yes\" is not true or false");
    }

    @Test
    void tellsTheLineOfBrokenYaml() {
        assertThat(faults("http:\n  port: 1\n\tlevel: x\n"))
                .singleElement()
                .asString()
                .startsWith("f:3: is not YAML: ")
                .contains("TAB")
                .doesNotContain("reader");
        assertThat(faults("http: {port: 1\nlog: 3: 4\n"))
                .containsExactly("f:2: is not YAML: while parsing a flow mapping, expected ',' or '}', but got :");
    }

    @Test
    void refusesASecondDocument() {
        assertThat(faults("http: {}\n---\nlog: {}\n"))
                .containsExactly("f:3: is not YAML: a second document begins; the file must be one document");
    }

    @Test
    void refusesBinaryValues() {
        assertThat(faults("log:\n  level: !!binary aGVsbG8=\n"))
                .containsExactly("f:2: log.level: is binary; expected one of error, warn, info, debug");
    }

    @Test
    void refusesAKeyThatIsAListOrASection() {
        assertThat(faults("? [a]\n: b\nhttp:\n  port: 1\n"))
                .containsExactly("f:1: is not YAML: a list or a section stands where a key must be");
        assertThat(faults("http:\n  ? {a: b}\n  : c\n"))
                .containsExactly("f:2: is not YAML: a list or a section stands where a key must be");
    }

    @Test
    void refusesAliasesOfSectionsAndInLists() {
        assertThat(faults("http: &h\n  port: 1\nlog: *h\n"))
                .containsExactly("f:3: log: is an alias; it must be a section with level, format");
        assertThat(faults("node:\n  name: &n a\nrdma:\n  include: [b, *n]\n"))
                .singleElement()
                .asString()
                .startsWith("f:4: rdma.include: is a list with something else than texts in it");
        assertThat(faults("http: &h\n  tls: *h\n"))
                .containsExactly("f:2: http.tls: is an alias; it must be a section with certificate, key, clientCa");
    }

    @Test
    void keepsAWildKeyOutOfItsMessage() {
        assertThat(faults("\"a\\nb\\e\": 1\n")).singleElement().asString().doesNotContain("\n", "\u001b");
    }

    @Property
    void neverThrowsOnAnyText(@ForAll String text) {
        assertThat(read(text)).isNotNull();
    }

    @Property(tries = 3000)
    void neverThrowsOnWhatLooksLikeYaml(
            @ForAll @CharRange(from = ' ', to = '~') @Chars({'\n', '\t', ':', '-', '{', '&'}) String text) {
        assertThat(read(text)).isNotNull();
    }

    @Example
    void survivesDeepNesting() {
        assertThat(faults("[".repeat(100_000))).isNotEmpty();
        assertThat(faults("{a: ".repeat(50_000))).isNotEmpty();
    }

    private static List<String> faults(String text) {
        return read(text).faults().stream().map(ConfigFault::text).toList();
    }

    private static ConfigDraft read(String text) {
        var draft = new ConfigDraft(Optional.empty());
        FileLayer.read(Path.of("f"), text, draft);
        return draft;
    }
}
