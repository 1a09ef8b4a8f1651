package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.policy.Isolation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names and words of the public driver, release 0.5. */
class PublicNameTest {

    private static final String HOST_MANAGED = "featureGates.HostManagedIMEX";
    private static final String ISOLATION = "imex.isolation";

    @TempDir
    Path folder;

    private ConfigFixture given = new ConfigFixture(Path.of("/"));

    @BeforeEach
    void anEmptyFolder() {
        given = new ConfigFixture(folder);
    }

    @ParameterizedTest
    @CsvSource({"domain, NONE, None", "channel, IMEX_CHANNEL, IMEXChannel"})
    void aFileIsTakenInItsWords(String word, Isolation isolation, String ours) {
        given.file(
                "featureGates: {HostManagedIMEXDaemon: true}\nimex:\n  mode: hostManaged\n  isolation: " + word + "\n");

        assertThat(given.config().hostManaged()).isTrue();
        assertThat(given.config().imex().isolation()).contains(isolation);
        assertThat(given.valueOf(HOST_MANAGED)).isEqualTo("true from FILE:3 (imex.mode: hostManaged)");
        assertThat(given.valueOf(ISOLATION)).isEqualTo(ours + " from FILE:4 (imex.isolation: " + word + ")");
    }

    @Test
    void theEnvironmentIsTaken() {
        given.environment("IMEX_MODE", "hostManaged")
                .environment("IMEX_ISOLATION", "channel")
                .environment("IMEX_HOST_SOCKET_PATH", "/run/imex.sock");

        assertThat(given.config().bindsChannels()).isTrue();
        assertThat(given.config().imex().health().socket()).contains(Path.of("/run/imex.sock"));
        assertThat(given.valueOf(HOST_MANAGED)).isEqualTo("true from environment IMEX_MODE (imex.mode: hostManaged)");
        assertThat(given.valueOf("imex.health.socket"))
                .isEqualTo(
                        "/run/imex.sock from environment IMEX_HOST_SOCKET_PATH (imex.hostSocketPath: /run/imex.sock)");
    }

    @Test
    void flagsAreTaken() {
        given.flag("--imex-mode", "hostManaged")
                .flag("--imex-isolation", "domain")
                .flag("--imex-host-socket-path", "/run/imex.sock");

        assertThat(given.config().imex().isolation()).contains(Isolation.NONE);
        assertThat(given.valueOf(HOST_MANAGED)).isEqualTo("true from flag --imex-mode (imex.mode: hostManaged)");
    }

    @Test
    void keysOfTheChartAreTaken() {
        given.file("""
                resources:
                  computeDomains:
                    imex: {mode: hostManaged, isolation: domain, hostSocketPath: /run/imex.sock}
                """);
        assertThat(given.config().hostManaged()).isTrue();
        assertThat(given.config().imex().health().socket()).contains(Path.of("/run/imex.sock"));

        var set = new ConfigFixture(folder.resolve("other"))
                .set("resources.computeDomains.imex.mode=hostManaged")
                .set("imex.isolation=domain");
        assertThat(set.config().hostManaged()).isTrue();
    }

    @Test
    void otherValuesOfTheChartAreFaultsThatNameTheTable() {
        given.file("resources:\n  gpus: {enabled: false}\n  computeDomains: 1\n");

        assertThat(given.faults())
                .containsExactly(
                        "FILE:2: resources.gpus: unknown key; " + PublicName.KNOWN,
                        "FILE:3: resources.computeDomains: is \"1\"; it must be a section with " + PublicName.KNOWN);
    }

    @Test
    void bothWaysMayBeGivenWhereTheySayTheSame() {
        given.file("featureGates: {HostManagedIMEX: true}\nimex: {mode: hostManaged, isolation: None}\n")
                .environment("IMEX_ISOLATION", "domain");

        assertThat(given.config().imex().isolation()).contains(Isolation.NONE);
    }

    @Test
    void bothWaysGivenAndDifferentAreAFaultThatNamesBothPlaces() {
        given.file("featureGates:\n  HostManagedIMEX: false\nimex:\n  mode: hostManaged\n  isolation: None\n");

        assertThat(given.faults())
                .containsExactly(
                        "FILE:4: imex.mode: hostManaged: means featureGates.HostManagedIMEX: true, and FILE:2 says"
                                + " featureGates.HostManagedIMEX: false; remove one of them");
    }

    /** The usual order of sources does not decide between two names. */
    @Test
    void oneInTheFileAndOtherInTheEnvironmentAreAFaultWhicheverIsWhere() {
        given.file("featureGates:\n  HostManagedIMEX: true\nimex:\n  isolation: IMEXChannel\n")
                .environment("IMEX_MODE", "driverManaged")
                .environment("IMEX_ISOLATION", "domain");
        assertThat(given.faults())
                .containsExactly(
                        "environment IMEX_MODE: imex.mode: driverManaged: means featureGates.HostManagedIMEX: false, and"
                                + " FILE:2 says featureGates.HostManagedIMEX: true; remove one of them",
                        "environment IMEX_ISOLATION: imex.isolation: domain: means imex.isolation: None, and FILE:4 says"
                                + " imex.isolation: IMEXChannel; remove one of them");

        var turned = new ConfigFixture(folder.resolve("other"))
                .file("imex:\n  mode: driverManaged\n  isolation: channel\n")
                .environment("IMEX_AGENT_FEATURE_GATES", "HostManagedIMEX=true")
                .flag("--isolation", "None");
        assertThat(turned.faults())
                .containsExactly(
                        "FILE:2: imex.mode: driverManaged: means featureGates.HostManagedIMEX: false, and environment"
                                + " IMEX_AGENT_FEATURE_GATES says featureGates.HostManagedIMEX: true; remove one of them",
                        "FILE:3: imex.isolation: channel: means imex.isolation: IMEXChannel, and flag --isolation says"
                                + " imex.isolation: None; remove one of them");
    }

    @Test
    void twoPlacesOfOneFileThatDifferAreAFault() {
        given.file("""
                imex:
                  mode: hostManaged
                  isolation: domain
                resources:
                  computeDomains:
                    imex:
                      mode: driverManaged
                      isolation: domain
                """);

        assertThat(given.faults())
                .containsExactly(
                        "FILE:7: resources.computeDomains.imex.mode: driverManaged: means featureGates.HostManagedIMEX: false, and FILE:2"
                                + " (imex.mode: hostManaged) says featureGates.HostManagedIMEX: true; remove one of them");
    }

    @Test
    void itsOwnNamesDoNotBeatEachOtherWhereverTheyStand() {
        given.file("imex:\n  mode: hostManaged\n  isolation: channel\n")
                .environment("IMEX_MODE", "hostManaged")
                .environment("IMEX_ISOLATION", "domain")
                .flag("--imex-isolation", "domain");
        assertThat(given.faults())
                .containsExactly(
                        "environment IMEX_ISOLATION: imex.isolation: domain: means imex.isolation: None, and FILE:3"
                                + " (imex.isolation: channel) says imex.isolation: IMEXChannel; remove one of them");

        var variables = new ConfigFixture(folder.resolve("other"))
                .file("imex: {mode: hostManaged}\n")
                .environment("IMEX_AGENT_IMEX_ISOLATION", "channel")
                .environment("IMEX_ISOLATION", "domain");
        assertThat(variables.faults())
                .singleElement()
                .asString()
                .contains("environment IMEX_ISOLATION: imex.isolation: domain", "IMEX_AGENT_IMEX_ISOLATION");
    }

    @Test
    void aPlaceIsNamedAsItWasWritten() {
        given.set("resources.computeDomains.imex.mode=hostManaged")
                .file("imex: {isolation: None}\nresources: {computeDomains: {imex: {hostSocketPath: a.sock}}}\n");
        assertThat(given.faults())
                .singleElement()
                .asString()
                .startsWith("FILE:2: resources.computeDomains.imex.hostSocketPath: \"a.sock\" is not an absolute path");

        var right = new ConfigFixture(folder.resolve("other"))
                .file("imex: {isolation: None}\nresources: {computeDomains: {imex: {mode: hostManaged}}}\n");
        assertThat(right.valueOf(HOST_MANAGED))
                .isEqualTo("true from FILE:2 (resources.computeDomains.imex.mode: hostManaged)");
    }

    @Test
    void anEmptyVariableIsNotSet() {
        given.environment("IMEX_MODE", "").environment("IMEX_ISOLATION", "").environment("IMEX_HOST_SOCKET_PATH", "");

        assertThat(given.config().hostManaged()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HostManaged", "hostmanaged", "true", "host-managed"})
    void anUnknownModeIsAFault(String mode) {
        given.environment("IMEX_MODE", mode);

        assertThat(given.faults())
                .containsExactly(
                        "environment IMEX_MODE: imex.mode: \"" + mode + "\" is not one of driverManaged, hostManaged");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Domain", "CHANNEL", "None", "IMEXChannel"})
    void itsVariableTakesItsWordsAlone(String word) {
        given.environment("IMEX_ISOLATION", word);

        assertThat(given.faults())
                .containsExactly(
                        "environment IMEX_ISOLATION: imex.isolation: \"" + word + "\" is not one of domain, channel");
    }

    @Test
    void imexDomainIsAnotherThingThanDomain() {
        given.environment("IMEX_ISOLATION", "IMEXDomain");
        assertThat(given.faults())
                .singleElement()
                .asString()
                .contains("is not one of domain, channel; IMEXDomain is another thing than the public driver's domain");

        var ours =
                new ConfigFixture(folder.resolve("other")).file("imex: {mode: hostManaged, isolation: IMEXDomain}\n");
        assertThat(ours.faults())
                .singleElement()
                .asString()
                .startsWith("FILE:1: imex.isolation: IMEXDomain means one IMEX domain for each workload")
                .contains("IMEXDomain is another thing than the public driver's domain, which is None here");
    }

    @Test
    void aSocketIsAnAbsolutePath() {
        given.environment("IMEX_HOST_SOCKET_PATH", "imex.sock");

        assertThat(given.faults())
                .singleElement()
                .asString()
                .startsWith(
                        "environment IMEX_HOST_SOCKET_PATH: imex.hostSocketPath: \"imex.sock\" is not an absolute path");
    }

    @Test
    void whatIsNoTextIsAFault() {
        given.file("imex:\n  mode: [hostManaged]\n");

        assertThat(given.faults())
                .containsExactly("FILE:2: imex.mode: is a list; expected one of driverManaged, hostManaged");
    }

    @Test
    void itsModeNeedsAnIsolation() {
        given.file("featureGates: {HostManagedIMEXDaemon: true}\nimex: {mode: hostManaged}\n");

        assertThat(given.faults())
                .singleElement()
                .asString()
                .startsWith("imex.isolation: is not set, and HostManagedIMEX needs an explicit choice")
                .endsWith("the public driver's default is not taken: its domain is None, its channel IMEXChannel");
    }

    @Test
    void itsGateAloneSwitchesNothingAndSaysSo() {
        given.flag("--feature-gates", "HostManagedIMEXDaemon=true");

        assertThat(given.config().hostManaged()).isFalse();
        assertThat(given.config().notes())
                .anyMatch(note -> note.startsWith("HostManagedIMEXDaemon=true switches nothing"));
        assertThat(given.valueOf("featureGates.HostManagedIMEXDaemon")).isEqualTo("true from flag --feature-gates");
    }

    @Test
    void itsGateMayBeLeftOutAndLocksItsModeWhereItIsOff() {
        assertThat(new ConfigFixture(folder)
                        .file("imex: {mode: hostManaged, isolation: domain}\n")
                        .config()
                        .hostManaged())
                .isTrue();
        given.file("featureGates:\n  HostManagedIMEXDaemon: false\nimex: {mode: hostManaged, isolation: domain}\n");
        assertThat(given.faults())
                .containsExactly(
                        "FILE:2: featureGates.HostManagedIMEXDaemon: is false, and FILE:3 (imex.mode: hostManaged)"
                                + " needs it in the public driver; set it to true, or remove it");
        assertThat(new ConfigFixture(folder).file("""
                                featureGates: {HostManagedIMEXDaemon: false, HostManagedIMEX: true}
                                imex: {isolation: None}
                                """).config().hostManaged()).isTrue();
    }

    @Test
    void theEffectiveFileSaysItInOurWords() {
        given.file("imex: {mode: hostManaged, isolation: channel}\n");

        String text = SectionedText.of(given.config());

        assertThat(text)
                .contains("  HostManagedIMEX: true  # " + given.path() + ":1 (imex.mode: hostManaged)\n")
                .contains("  isolation: IMEXChannel  # " + given.path() + ":1 (imex.isolation: channel)\n");
        assertThat(ConfigFixture.texts(new ConfigFixture(folder).file(text).config()))
                .isEqualTo(ConfigFixture.texts(given.config()));
    }

    @Test
    void everyNameHasAFlag() {
        assertThat(ConfigKeys.flags()).containsAll(PublicName.flags()).doesNotHaveDuplicates();
        assertThat(List.of(PublicName.values()))
                .extracting(PublicName::variable)
                .doesNotHaveDuplicates();
    }
}
