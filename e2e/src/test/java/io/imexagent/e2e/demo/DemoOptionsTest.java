package io.imexagent.e2e.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DemoOptionsTest {

    @Test
    void clearsUpAndStartsAContainerWhereNothingIsSaid() {
        assertThat(DemoOptions.parse(List.of())).isEqualTo(new DemoOptions(false, false, true, false));
    }

    @Test
    void takesItsFlags() {
        assertThat(DemoOptions.parse(List.of("--keep", "--verbose", "--no-container", "--color")))
                .isEqualTo(new DemoOptions(true, true, false, true));
    }

    @Test
    void refusesAFlagThatItDoesNotKnow() {
        assertThatThrownBy(() -> DemoOptions.parse(List.of("--quick"))).hasMessage("unknown flag --quick");
    }
}
