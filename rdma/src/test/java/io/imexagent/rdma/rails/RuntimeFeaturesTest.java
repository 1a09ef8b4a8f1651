package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a program answers to {@code features}: only a plain yes moves an interface. */
class RuntimeFeaturesTest {

    /** What runc 1.4.0 prints, cut down to a few of its fields. */
    private static final String RUNC_1_4 = """
        {"ociVersionMin":"1.0.0","ociVersionMax":"1.3.0","hooks":["prestart","createRuntime"],
         "linux":{"namespaces":["cgroup","network"],"cgroup":{"v1":true,"v2":true},
          "netDevices":{"enabled":true}},"annotations":{"org.opencontainers.runc.version":"1.4.0"}}
        """;

    @Example
    void aPlainYesCounts() {
        assertThat(RuntimeProbe.movesInterfaces(RUNC_1_4)).isTrue();
    }

    @Example
    void whatOnlyLooksLikeAYesDoesNotCount() {
        assertThat(RuntimeProbe.movesInterfaces(RUNC_1_4.replace("{\"enabled\":true}", "{\"enabled\":\"true\"}")))
                .isFalse();
        assertThat(RuntimeProbe.movesInterfaces(RUNC_1_4.replace("{\"enabled\":true}", "{\"enabled\":1}")))
                .isFalse();
        assertThat(RuntimeProbe.movesInterfaces(RUNC_1_4.replace("{\"enabled\":true}", "true")))
                .isFalse();
        assertThat(RuntimeProbe.movesInterfaces(RUNC_1_4.replace("\"linux\"", "\"windows\"")))
                .isFalse();
        assertThat(RuntimeProbe.movesInterfaces("[" + RUNC_1_4 + "]")).isFalse();
    }

    @Property
    void noTextIsTooMuchAndNoneIsAYes(@ForAll String text) {
        assertThat(RuntimeProbe.movesInterfaces(text)).isFalse();
    }

    /** An answer that breaks off, or has a wrong character where it says yes. */
    @Property
    void noBentAnswerIsTooMuch(@ForAll("bent") String text) {
        boolean told = RuntimeProbe.movesInterfaces(text);

        if (told) {
            assertThat(text).contains("\"netDevices\":{\"enabled\":true}");
        }
    }

    @Property
    void anAnswerThatBreaksOffIsNoYes(@ForAll("beginnings") String text) {
        assertThat(RuntimeProbe.movesInterfaces(text)).isFalse();
    }

    @Provide
    Arbitrary<String> bent() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, RUNC_1_4.length() - 1),
                        Arbitraries.of('{', '}', '[', ']', ',', ':', '"', '\\', '0', '-', 'e', 'f', '\n', ' ', '\0'))
                .as((at, sign) -> {
                    var text = new StringBuilder(RUNC_1_4);
                    text.setCharAt(at, sign);
                    return text.toString();
                });
    }

    @Provide
    Arbitrary<String> beginnings() {
        return Arbitraries.integers()
                .between(0, RUNC_1_4.lastIndexOf('}') - 1)
                .map(length -> RUNC_1_4.substring(0, length));
    }
}
