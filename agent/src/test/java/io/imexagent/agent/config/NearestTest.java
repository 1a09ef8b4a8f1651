package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class NearestTest {

    @Test
    void countsAddedLeftOutReplacedAndSwappedLetters() {
        assertThat(Nearest.distance("port", "port")).isZero();
        assertThat(Nearest.distance("port", "ports")).isEqualTo(1);
        assertThat(Nearest.distance("port", "prt")).isEqualTo(1);
        assertThat(Nearest.distance("port", "pert")).isEqualTo(1);
        assertThat(Nearest.distance("port", "prot")).isEqualTo(1);
        assertThat(Nearest.distance("port", "PORT")).isZero();
        assertThat(Nearest.distance("", "port")).isEqualTo(4);
    }

    @Test
    void findsTheNearestAndNothingThatIsFar() {
        List<String> known = List.of("interval", "isolation", "address");

        assertThat(Nearest.among(known, "isolaton")).contains("isolation");
        assertThat(Nearest.among(known, "interwal")).contains("interval");
        assertThat(Nearest.among(known, "colour")).isEmpty();
    }

    @Property
    void theDistanceIsTheSameBothWays(
            @ForAll @StringLength(max = 12) String one, @ForAll @StringLength(max = 12) String other) {
        assertThat(Nearest.distance(one, other)).isEqualTo(Nearest.distance(other, one));
    }
}
