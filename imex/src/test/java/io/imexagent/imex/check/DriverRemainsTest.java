package io.imexagent.imex.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.imex.fake.HostTree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverRemainsTest {

    private static final String OWN_MOUNTS = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
    private static final String DAEMON_MOUNTS =
            OWN_MOUNTS + "600 22 8:1 /var/lib/kubelet/plugins/x/domains/u /imexd rw - ext4 /dev/sda1 rw\n";

    @TempDir
    Path folder;

    private HostTree proc = new HostTree(Path.of("/"));

    @BeforeEach
    void aHostWithItsOwnDaemon() {
        proc = new HostTree(folder.resolve("proc"));
        process("1", "systemd", "0::/init.scope", OWN_MOUNTS);
        process("40", "nvidia-imex", "0::/system.slice/nvidia-imex.service", OWN_MOUNTS);
    }

    @Test
    void findsNothingOnAHostManagedNode() {
        assertThat(run()).extracting(CheckResult::severity).containsOnly(Severity.OK);
    }

    @Test
    void findsTheDaemonOfAPodAndItsMount() {
        process("777", "nvidia-imex", "0::/kubepods.slice/kubepods-burstable.slice/cri-x.scope", DAEMON_MOUNTS);

        List<CheckResult> results = run();

        assertThat(results).extracting(CheckResult::severity).containsOnly(Severity.CRITICAL);
        assertThat(results).extracting(CheckResult::id).containsExactly("second-imex", "imexd-mounts");
        assertThat(results)
                .allSatisfy(result -> assertThat(result.message()).contains("777 (nvidia-imex -c /imexd/config.cfg)"))
                .allSatisfy(result -> assertThat(result.remedy())
                        .hasValueSatisfying(remedy -> assertThat(remedy).contains("delete their ComputeDomains")));
    }

    @Test
    void findsTheMountOfADaemonWhoseImexHasEnded() {
        process("778", "compute-domain-", "0::/kubepods.slice/x", DAEMON_MOUNTS);

        assertThat(run()).extracting(CheckResult::severity).containsExactly(Severity.OK, Severity.CRITICAL);
    }

    @Test
    void warnsOfFoldersThatWereLeft() {
        new HostTree(folder).with("plugin/domains/7f3c0156/config.cfg", "");

        assertThat(run()).last().satisfies(result -> {
            assertThat(result.severity()).isEqualTo(Severity.WARNING);
            assertThat(result.message()).contains("domains/7f3c0156");
        });
    }

    @Test
    void aProcessThatEndedMeanwhileOrHidesItsMountsIsNone() {
        proc.with("900/stat", "");

        assertThat(run()).extracting(CheckResult::severity).containsOnly(Severity.OK);
    }

    @Test
    void saysWhenItCannotTell() {
        assertThat(new DriverRemains(folder.resolve("nowhere"), folder.resolve("plugin")).run())
                .extracting(CheckResult::severity)
                .containsOnly(Severity.WARNING);
    }

    /** A pod without hostPID has a daemon of the host's no more than one of the public driver's. */
    @Test
    void cannotTellWhatRunsOnTheHostOfAPod() {
        proc.with("1/comm", "java\n");

        assertThat(run()).hasSize(2).allSatisfy(result -> {
            assertThat(result.severity()).isEqualTo(Severity.WARNING);
            assertThat(result.message()).startsWith("cannot tell whether").contains("of a container");
            assertThat(result.remedy())
                    .hasValueSatisfying(remedy -> assertThat(remedy).contains("on the host"));
        });
    }

    @Test
    void aDaemonThatIsSeenInAPodCounts() {
        proc.with("1/comm", "java\n");
        process("777", "nvidia-imex", "0::/kubepods.slice/x", DAEMON_MOUNTS);

        assertThat(run()).extracting(CheckResult::severity).containsOnly(Severity.CRITICAL);
    }

    private List<CheckResult> run() {
        return new DriverRemains(proc.root(), folder.resolve("plugin")).run();
    }

    private void process(String pid, String name, String cgroup, String mounts) {
        proc.with(pid + "/comm", name + "\n")
                .with(pid + "/cmdline", name + "\0-c\0/imexd/config.cfg\0")
                .with(pid + "/cgroup", cgroup + "\n")
                .with(pid + "/mountinfo", mounts);
    }
}
