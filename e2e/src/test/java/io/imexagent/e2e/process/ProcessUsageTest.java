package io.imexagent.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class ProcessUsageTest {

    @Test
    void tellsWhatThisProcessTakes() throws Exception {
        ProcessUsage usage = ProcessUsage.of(ProcessHandle.current().pid());

        assertThat(usage.residentKb()).isGreaterThan(10_000);
        assertThat(usage.proportionalKb()).isPositive().isLessThanOrEqualTo(usage.residentKb());
        assertThat(usage.anonymousKb()).isPositive().isLessThanOrEqualTo(usage.residentKb());
        assertThat(usage.processor()).isPositive();
    }

    @Test
    void knowsNothingOfAProcessThatIsGone() {
        assertThatThrownBy(() -> ProcessUsage.of(Integer.MAX_VALUE)).isInstanceOf(IOException.class);
    }
}
