package io.imexagent.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class BenchOptionsTest {

    @Test
    void measuresWhatWasAgreedWhereNothingIsSaid() {
        assertThat(BenchOptions.parse(List.of())).isEqualTo(new BenchOptions(7, 300, 500, 3000, 5, 10));
    }

    @Test
    void takesSmallerNumbers() {
        List<String> flags = List.of(
                "--starts", "1", "--warm-up", "2", "--cycles", "3", "--total", "4", "--idle", "5", "--minutes", "6");

        assertThat(BenchOptions.parse(flags)).isEqualTo(new BenchOptions(1, 2, 3, 4, 5, 6));
    }

    @Test
    void refusesWhatItDoesNotUnderstand() {
        assertThatThrownBy(() -> BenchOptions.parse(List.of("--fast"))).hasMessage("unknown flag --fast");
        assertThatThrownBy(() -> BenchOptions.parse(List.of("--cycles"))).hasMessage("--cycles needs a number");
        assertThatThrownBy(() -> BenchOptions.parse(List.of("--cycles", "many")))
                .hasMessage("--cycles needs a number, not many");
        assertThatThrownBy(() -> BenchOptions.parse(List.of("--cycles", "0")))
                .hasMessage("--cycles needs a number above 0, not 0");
    }
}
