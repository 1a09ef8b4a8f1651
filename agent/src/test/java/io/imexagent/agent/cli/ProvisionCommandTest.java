package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.provision.Provisioning.ProvisionResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProvisionCommandTest {

    private final CliFixture cli = new CliFixture();
    private final List<Boolean> changing = new ArrayList<>();
    private final List<Boolean> withGpu = new ArrayList<>();

    @Test
    void changesTheHostAndPrintsWhatItDid() {
        given(ProvisionResult.CHANGED);

        assertThat(cli.execute("provision")).isEqualTo(ExitCode.OK);

        assertThat(changing).containsExactly(true);
        assertThat(withGpu).containsExactly(false);
        assertThat(cli.out()).isEqualTo("a line\n");
    }

    @Test
    void leavesHostsWithoutAGpuAloneWhereThatIsSaid() {
        given(ProvisionResult.NOTHING_TO_DO);

        assertThat(cli.execute("provision", "--only-with-gpu")).isEqualTo(ExitCode.OK);
        assertThat(withGpu).containsExactly(true);
    }

    @Test
    void aCheckTellsByItsCodeWhetherSomethingWouldChange() {
        given(ProvisionResult.WOULD_CHANGE);
        assertThat(cli.execute("provision", "--check").number()).isEqualTo(4);

        given(ProvisionResult.NOTHING_TO_DO);
        assertThat(cli.execute("provision", "--check").number()).isZero();

        given(ProvisionResult.FAILED);
        assertThat(cli.execute("provision", "--check").number()).isEqualTo(1);
        assertThat(changing).containsOnly(false);
    }

    @Test
    void aDryRunChangesNothingAndIsNoFailure() {
        given(ProvisionResult.WOULD_CHANGE);

        assertThat(cli.execute("provision", "--dry-run").number()).isZero();
        assertThat(cli.execute("provision", "--dry-run", "--check").number()).isEqualTo(4);
        assertThat(changing).containsOnly(false);
    }

    @Test
    void endsWithAFailureWhereTheHostIsNotAsItShouldBe() {
        given(ProvisionResult.FAILED);

        assertThat(cli.execute("provision").number()).isEqualTo(1);
    }

    private void given(ProvisionResult outcome) {
        cli.provision((config, change, onlyWithGpu, lines) -> {
            changing.add(change);
            withGpu.add(onlyWithGpu);
            lines.accept("a line");
            return outcome;
        });
    }
}
