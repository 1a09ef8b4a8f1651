package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ConfigKeyTest {

    @Test
    void wholeNumbersAreCanonicalAndInTheirRange() {
        ConfigKey port = ConfigKeys.at("http.port");

        assertThat(port.parse("0")).contains(0);
        assertThat(port.parse("65535")).contains(65535);
        for (String text :
                new String[] {"", "-1", "65536", "007", "+1", "1.0", "0x1", "1_000", " 1", "99999999999999"}) {
            assertThat(port.parse(text)).as(text).isEmpty();
        }
    }

    @Test
    void durationsCarryTheirUnits() {
        assertThat(DurationText.parse("30s")).contains(Duration.ofSeconds(30));
        assertThat(DurationText.parse("500ms")).contains(Duration.ofMillis(500));
        assertThat(DurationText.parse("5m")).contains(Duration.ofMinutes(5));
        assertThat(DurationText.parse("1h1m1s1ms"))
                .contains(Duration.ofHours(1).plusMinutes(1).plusSeconds(1).plusMillis(1));
        assertThat(DurationText.parse("0s")).contains(Duration.ZERO);
        for (String text :
                new String[] {"", "30", "s", "-1s", "1.5s", "1s1m", "1s1s", "1 s", "1d", "9999999999s", "1S"}) {
            assertThat(DurationText.parse(text)).as(text).isEmpty();
        }
    }

    @Property
    void aPrintedDurationIsReadAsItself(@ForAll @LongRange(min = 0, max = 999_999_999_999L) long millis) {
        Duration duration = Duration.ofMillis(millis);

        assertThat(DurationText.parse(DurationText.print(duration))).contains(duration);
    }

    @Property
    void noTextMakesTheDurationParserThrow(@ForAll String text) {
        DurationText.parse(text)
                .ifPresent(duration -> assertThat(duration.isNegative()).isFalse());
    }

    @Test
    void spansHaveARange() {
        ConfigKey span = ConfigKeys.at("prepare.answerWithin");

        assertThat(span.parse("1s")).contains(Duration.ofSeconds(1));
        assertThat(span.parse("40s")).contains(Duration.ofSeconds(40));
        assertThat(span.parse("1500ms")).contains(Duration.ofMillis(1500));
        assertThat(span.parse("999ms")).isEmpty();
        assertThat(span.parse("40001ms")).isEmpty();
    }

    @Test
    void spansInWholeSecondsHaveNoFractions() {
        ConfigKey span = ConfigKeys.at("deviceHealth.timeout");

        assertThat(span.parse("5000ms")).contains(Duration.ofSeconds(5));
        assertThat(span.parse("5500ms")).isEmpty();
    }

    @Test
    void pathsAreAbsolute() {
        ConfigKey path = ConfigKeys.at("host.root");

        assertThat(path.parse("/var/run/cdi/").map(Object::toString)).contains("/var/run/cdi");
        for (String text : new String[] {"", "var", "./x", "~/x", "/a\0b"}) {
            assertThat(path.parse(text)).as(text).isEmpty();
        }
    }

    @Test
    void nodeNamesAreDnsSubdomains() {
        ConfigKey name = ConfigKeys.at("node.name");

        for (String text : new String[] {"a", "1", "node-1", "node-1.example.com", "a--b", "a".repeat(253)}) {
            assertThat(name.parse(text)).as(text).isEqualTo(Optional.of(text));
        }
        for (String text : new String[] {
            "", "-a", "a-", ".a", "a.", "a..b", "a-.b", "a.-b", "A", "a_b", "a b", "ä", "a/b", "a".repeat(254)
        }) {
            assertThat(name.parse(text)).as(text).isEmpty();
        }
    }

    @Test
    void addressesAreLiteralsOrLocalhost() {
        ConfigKey address = ConfigKeys.at("http.address");

        for (String text : new String[] {"0.0.0.0", "127.0.0.1", "::", "::1", "fe80::1", "localhost"}) {
            assertThat(address.parse(text)).as(text).isEqualTo(Optional.of(text));
        }
        for (String text : new String[] {"", "example.com", "1.2.3.4.5", "256.0.0.1", ":::", "1.2.3.4:80"}) {
            assertThat(address.parse(text)).as(text).isEmpty();
        }
    }
}
