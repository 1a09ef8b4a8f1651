package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.config.ConfigKeys;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControlPlaneCommandsTest {

    private final CliFixture cli = new CliFixture();

    @Test
    void manifestsFollowGatesAndIsolation() {
        ExitCode off = cli.execute("manifests");
        String driverManaged = cli.out();
        ExitCode on = cli.execute(
                "manifests", "--feature-gates", "HostManagedIMEX=true", "--isolation", "IMEXChannel", "--admission");

        assertThat(off).isEqualTo(ExitCode.OK);
        assertThat(on).isEqualTo(ExitCode.OK);
        assertThat(driverManaged).contains("compute-domain-daemon.nvidia.com").doesNotContain("Admission");
        assertThat(cli.out())
                .contains("compute-domain-channel.nvidia.com", "kind: ValidatingAdmissionPolicy")
                .doesNotContain("compute-domain-daemon.nvidia.com");
    }

    @Test
    void manifestsNameTheUserAndTheNamespace() {
        cli.execute(
                "manifests",
                "--feature-gates",
                "HostManagedIMEX=true",
                "--isolation",
                "None",
                "--controller-user",
                "somebody",
                "--set",
                "controller.namespace=elsewhere");

        assertThat(cli.out()).contains("name: \"somebody\"", "namespace: \"elsewhere\"");
    }

    @Test
    void manifestsOfAFaultyConfigurationAreRefused() {
        ExitCode code = cli.execute("manifests", "--feature-gates", "HostManagedIMEX=true");

        assertThat(code).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(cli.err()).contains("imex.isolation", "conscious choice");
        assertThat(cli.out()).isEmpty();
    }

    @Test
    void domainsAreListedByCliqueWithWhatIsWrong() {
        ExitCode code = cli.execute("domains");

        assertThat(code).isEqualTo(ExitCode.OK);
        assertThat(lines())
                .containsExactly(
                        "NAMESPACE NAME STATUS TEMPLATE CLIQUE CHANNEL NODES WRONG",
                        "team train Ready train-channel b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7 5 tray-1,tray-2 somebody"
                                + " else has the channel, too");
    }

    @Test
    void domainsAsJson() {
        cli.execute("domains", "-o", "json");

        assertThat(cli.out())
                .contains("\"clique\" : \"b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7\"", "\"channel\" : 5")
                .contains("\"nodes\" : [ \"tray-1\", \"tray-2\" ]");
    }

    @Test
    void cliquesAreListedWithTheirChannelsAndWhatLostNodesHold() {
        ExitCode code = cli.execute("cliques");

        assertThat(code).isEqualTo(ExitCode.OK);
        String clique = "b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7";
        assertThat(lines())
                .containsExactly(
                        "CLIQUE NODES IMEX CHANNELS USED FREE WRONG",
                        clique + " 2 degraded:1,ready:1 127 1 126 its table cannot be read",
                        "",
                        "CLIQUE CHANNEL COMPUTEDOMAIN STATE NODES",
                        clique + " 5 team/train bound tray-1,tray-2",
                        "",
                        "NODE STATE CLIQUE HOLDS CHANNEL COMPUTEDOMAIN",
                        "tray-2 Missing " + clique + " 5 team/train");
    }

    @Test
    void cliquesAsJson() {
        cli.execute("cliques", "-o", "json");

        assertThat(cli.out())
                .contains("\"channels\" : 127", "\"used\" : 1", "\"free\" : 126", "\"lostHolds\" : 1")
                .contains("\"imexSince\" : \"2026-11-21T12:10:00Z\"", "\"peers\" : \"17/18\"")
                .contains("\"node\" : \"Missing\"", "\"releasing\" : false");
    }

    private List<String> lines() {
        return cli.out().lines().map(line -> line.replaceAll(" +", " ").strip()).toList();
    }

    @Test
    void theControllerRunsUnderTheSameConfiguration() {
        ExitCode code = cli.execute(
                "controller",
                "--feature-gates",
                "HostManagedIMEX=true",
                "--isolation",
                "IMEXChannel",
                "--set",
                "imex.channels=64");

        assertThat(code).isEqualTo(ExitCode.OK);
        assertThat(cli.runs().getLast().config().get(ConfigKeys.CHANNELS)).isEqualTo(64);
    }
}
