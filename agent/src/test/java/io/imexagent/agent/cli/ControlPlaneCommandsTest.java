package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.config.ConfigKeys;
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
    void domainsAreListedWithWhatIsWrong() {
        ExitCode code = cli.execute("domains");

        assertThat(code).isEqualTo(ExitCode.OK);
        assertThat(cli.out())
                .contains("NAMESPACE", "team", "train", "Ready", "5", "train-channel", "tray-1,tray-2")
                .contains("node tray-2 does not publish channel 5");
        assertThat(cli.out().lines())
                .contains(
                        "6        team/gone  held                  1       claims use it: end their pods",
                        "7        team/past  2026-11-21T12:10:00Z  0");
    }

    @Test
    void domainsAsJson() {
        cli.execute("domains", "-o", "json");

        assertThat(cli.out())
                .contains("\"channel\" : 5")
                .contains("\"nodes\" : [ \"tray-1\", \"tray-2\" ]")
                .contains("\"channelsOfGoneDomains\" : [ {", "\"lastOf\" : \"team/gone\"")
                .contains("\"restsUntil\" : \"2026-11-21T12:10:00Z\"");
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
