package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class NearestKeyTest {

    @Test
    void countsAddedLeftOutReplacedAndSwappedLetters() {
        assertThat(ConfigKeys.distance("port", "port")).isZero();
        assertThat(ConfigKeys.distance("port", "ports")).isEqualTo(1);
        assertThat(ConfigKeys.distance("port", "prt")).isEqualTo(1);
        assertThat(ConfigKeys.distance("port", "pert")).isEqualTo(1);
        assertThat(ConfigKeys.distance("port", "prot")).isEqualTo(1);
        assertThat(ConfigKeys.distance("port", "PORT")).isZero();
        assertThat(ConfigKeys.distance("", "port")).isEqualTo(4);
    }

    @Test
    void findsTheNearestAndNothingThatIsFar() {
        List<String> known = List.of("interval", "isolation", "address");

        assertThat(ConfigKeys.nearest(known, "isolaton")).contains("isolation");
        assertThat(ConfigKeys.nearest(known, "interwal")).contains("interval");
        assertThat(ConfigKeys.nearest(known, "colour")).isEmpty();
    }

    @Property
    void theDistanceIsTheSameBothWays(
            @ForAll @StringLength(max = 12) String one, @ForAll @StringLength(max = 12) String other) {
        assertThat(ConfigKeys.distance(one, other)).isEqualTo(ConfigKeys.distance(other, one));
    }
}
