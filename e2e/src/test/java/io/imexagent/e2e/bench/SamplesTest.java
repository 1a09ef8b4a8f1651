package io.imexagent.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SamplesTest {

    @Test
    void takesPercentilesByNearestRank() {
        Samples samples = new Samples();
        for (int value = 100; value >= 1; value--) {
            samples.add(value * 1_000_000L);
        }

        assertThat(samples.percentile(50)).isEqualTo(50);
        assertThat(samples.percentile(99)).isEqualTo(99);
        assertThat(samples.percentile(100)).isEqualTo(100);
        assertThat(samples.percentile(0)).isEqualTo(1);
    }

    @Test
    void takesAnOnlyValueForEveryPercentile() {
        Samples samples = new Samples();
        samples.add(1_500_000);

        assertThat(samples.percentile(50)).isEqualTo(1.5);
        assertThat(samples.percentile(99)).isEqualTo(1.5);
    }

    @Test
    void refusesToSayAnythingOfNothing() {
        assertThatThrownBy(() -> new Samples().median()).isInstanceOf(IllegalStateException.class);
    }
}
