package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.kubelet.KubeletUnits.KubeletRoot;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KubeletUnitsTest {

    @TempDir
    Path host;

    private final List<Program> asked = new ArrayList<>();

    @Test
    void asksSystemdOnceForAllUnits() throws Exception {
        root(unit("kubelet.service", "active", "/usr/bin/kubelet"));

        assertThat(asked).singleElement().satisfies(program -> {
            assertThat(program.words()).startsWith("/usr/bin/systemctl", "show");
            assertThat(program.words()).endsWith("--", "kubelet.service", "k3s.service");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/bin/kubelet --root-dir=/data/kubelet --v=2, /data/kubelet",
        "/usr/bin/kubelet --v=2 --root-dir /data/kubelet, /data/kubelet",
        "/usr/bin/kubelet --root-dir=/a --root-dir=/b, /b",
        "/usr/bin/kubelet --cert-dir=/data, /var/lib/kubelet",
        "/bin/sh -c \"exec /opt/bin/kubelet --root-dir=/data/kubelet\", /data/kubelet",
        "/bin/sh -c \"exec /opt/bin/kubelet --v=2\", /var/lib/kubelet",
        "/usr/local/bin/k3s agent --kubelet-arg=root-dir=/data/kubelet, /data/kubelet",
        "/usr/local/bin/k3s server --kubelet-arg root-dir=/data/kubelet, /data/kubelet",
        "/usr/local/bin/k3s server --data-dir=/data, /var/lib/kubelet",
        "/usr/local/bin/k0s worker --data-dir=/data, /data/kubelet",
        "/usr/local/bin/k0s worker --data-dir=/data --kubelet-root-dir=/own, /own",
        "/usr/local/bin/k0s worker --kubelet-extra-args=--root-dir=/own, /own",
        "/usr/local/bin/k0s worker, /var/lib/k0s/kubelet"
    })
    void readsTheRootDirectoryOfTheCommand(String command, String root) throws Exception {
        assertThat(root(unit("kubelet.service", "active", command)))
                .contains(new KubeletRoot("kubelet.service", Path.of(root)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Environment=OTHER=x \"KUBELET_EXTRA_ARGS=--v=2 --root-dir=/data/kubelet\"",
                "Environment=KUBELET_EXTRA_ARGS=--root-dir=/data/kubelet",
                "Environment=\"KUBELET_EXTRA_ARGS=--root-dir=/elsewhere\"\n"
                        + "EnvironmentFiles=/etc/default/kubelet (ignore_errors=yes)",
                "EnvironmentFiles=/missing (ignore_errors=yes)\n"
                        + "EnvironmentFiles=/etc/default/kubelet (ignore_errors=no)",
                "EnvironmentFiles=/etc/default/continued (ignore_errors=no)"
            })
    void readsItInTheVariablesOfTheUnit(String environment) throws Exception {
        Files.createDirectories(host.resolve("etc/default"));
        Files.writeString(
                host.resolve("etc/default/kubelet"),
                "# --root-dir=/old\nKUBELET_EXTRA_ARGS=\"--v=2 --root-dir=/data/kubelet\"\n");
        Files.writeString(
                host.resolve("etc/default/continued"),
                "KUBELET_EXTRA_ARGS=\"--v=2 \\\n  --cert-dir=/x \\\n  --root-dir=/data/kubelet\"\n");

        assertThat(root(unit("kubelet.service", "active", "/usr/bin/kubelet $KUBELET_ARGS ${KUBELET_EXTRA_ARGS}")
                        + environment))
                .map(KubeletRoot::directory)
                .contains(Path.of("/data/kubelet"));
    }

    @Test
    void aVariableThatTheCommandDoesNotHaveSaysNothing() throws Exception {
        assertThat(root(unit("kubelet.service", "active", "/usr/bin/kubelet $KUBELET_ARGS")
                        + "Environment=KUBELET_EXTRA_ARGS=--root-dir=/data/kubelet\n"))
                .map(KubeletRoot::directory)
                .contains(Path.of("/var/lib/kubelet"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EnvironmentFiles=/missing (ignore_errors=no)",
                "EnvironmentFiles=/etc (ignore_errors=yes)",
                "EnvironmentFiles=/etc/default/kube* (ignore_errors=yes)"
            })
    void aFileOfVariablesThatIsNotReadMayNameIt(String environment) throws Exception {
        Files.createDirectories(host.resolve("etc/default"));

        assertThat(root(unit("kubelet.service", "active", "/usr/bin/kubelet $KUBELET_ARGS") + environment))
                .isEmpty();
        assertThat(root(unit("kubelet.service", "active", "/usr/bin/kubelet --v=2") + environment))
                .map(KubeletRoot::directory)
                .contains(Path.of("/var/lib/kubelet"));
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/local/bin/k3s server --config /etc/k3s.yaml, ''",
        "/usr/local/bin/k3s server --config=/etc/k3s.yaml, ''",
        "/usr/local/bin/k3s server -c /etc/k3s.yaml, ''",
        "/usr/local/bin/k3s server, Environment=K3S_CONFIG_FILE=/etc/k3s.yaml",
        "/usr/local/bin/k3s server, EnvironmentFiles=/missing (ignore_errors=no)",
        "/usr/local/bin/rke2 server, ''",
    })
    void cannotTellWhereAnotherFileOfK3sMayNameIt(String command, String environment) throws Exception {
        Files.createDirectories(host.resolve("etc/rancher/rke2/config.yaml.d"));
        Files.createDirectories(host.resolve("etc/rancher/k3s"));
        Files.writeString(host.resolve("etc/rancher/k3s/config.yaml"), "kubelet-arg: v=2\n");

        assertThat(root(unit("k3s.service", "active", command) + environment)).isEmpty();
        assertThat(root(unit("k3s.service", "active", command + " --kubelet-arg=root-dir=/x") + environment))
                .contains(new KubeletRoot("k3s.service", Path.of("/x")));
    }

    @Test
    void cannotTellWhereTheFileOfK3sCannotBeRead() throws Exception {
        Files.createDirectories(host.resolve("etc/rancher/k3s/config.yaml"));

        assertThat(root(unit("k3s.service", "active", "/usr/local/bin/k3s server")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubelet-arg:\n  # - root-dir=/old\n  - \"root-dir=/data/kubelet\"\n",
                "kubelet-arg: [\"v=2\",\"root-dir=/data/kubelet\"]\n",
                "kubelet-arg: ['root-dir=/data/kubelet', 'v=2']\n",
                "kubelet-arg: root-dir=/data/kubelet\n"
            })
    void readsTheFileOfK3s(String settings) throws Exception {
        Files.createDirectories(host.resolve("etc/rancher/k3s"));
        Files.writeString(host.resolve("etc/rancher/k3s/config.yaml"), settings);

        assertThat(root(unit("k3s.service", "active", "/usr/local/bin/k3s server")))
                .contains(new KubeletRoot("k3s.service", Path.of("/data/kubelet")));
    }

    @Test
    void theUnitThatIsActiveCounts() throws Exception {
        assertThat(root(unit("kubelet.service", "inactive", "/usr/bin/kubelet --root-dir=/left")
                        + "\n"
                        + unit("k3s.service", "active", "/usr/local/bin/k3s agent")))
                .contains(new KubeletRoot("k3s.service", Path.of("/var/lib/kubelet")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Id=kubelet.service\nActiveState=inactive\n",
                "Id=kubelet.service\nActiveState=active\n",
                "Id=x.service\n"
                        + "ActiveState=active\n"
                        + "ExecStart={ path=/usr/bin/snap ; argv[]=/usr/bin/snap run microk8s.daemon-kubelite ;"
                        + " ignore_errors=no ; pid=1 }\n",
                "garbage \u0000 = \n\n=\n"
            })
    void cannotTellWhereNoUnitDoes(String shown) throws Exception {
        assertThat(root(shown)).isEmpty();
    }

    @Test
    void cannotTellWithoutSystemd() throws Exception {
        for (ProgramOutcome outcome : List.of(
                new ProgramOutcome.NotStarted("no such file"),
                new ProgramOutcome.Ended(1, unit("kubelet.service", "active", "/usr/bin/kubelet"), "no bus"),
                new ProgramOutcome.TimedOut(Duration.ofSeconds(5), Optional.empty()),
                new ProgramOutcome.Flooded(1))) {
            assertThat(units(outcome).running()).isEmpty();
        }
    }

    @Test
    void saysWhatDiffersAndNothingOfTheSameDirectory() throws Exception {
        var data = new KubeletRoot("kubelet.service", Path.of("/data/kubelet"));
        assertThat(data.differsFrom(Path.of("/var/lib/kubelet")))
                .hasValueSatisfying(
                        why -> assertThat(why).contains("kubelet.service", "/data/kubelet", "below /var/lib/kubelet"));
        assertThat(data.remedy()).contains("kubelet.root", "/data/kubelet");
        assertThat(data.differsFrom(Path.of("/data/./kubelet"))).isEmpty();

        Path real = Files.createDirectories(host.resolve("real"));
        Path link = Files.createSymbolicLink(host.resolve("link"), real);
        assertThat(new KubeletRoot("kubelet.service", link).differsFrom(real)).isEmpty();
    }

    private static String unit(String id, String state, String command) {
        return "Id=" + id + "\nActiveState=" + state + "\nExecStart={ path="
                + command.split(" ", 2)[0] + " ; argv[]=" + command
                + " ; ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }\n";
    }

    private Optional<KubeletRoot> root(String shown) throws Exception {
        return units(new ProgramOutcome.Ended(0, shown, "")).running();
    }

    private KubeletUnits units(ProgramOutcome outcome) {
        return new KubeletUnits(
                program -> {
                    asked.add(program);
                    return outcome;
                },
                Path.of("/usr/bin/systemctl"),
                List.of("kubelet.service", "k3s.service"),
                host);
    }
}
