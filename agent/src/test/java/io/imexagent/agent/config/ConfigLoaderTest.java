package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.http.HttpSettings;
import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.health.ImexWatchSettings;
import io.imexagent.log.LogLevel;
import io.imexagent.rdma.fixture.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigLoaderTest {

    @TempDir
    Path folder;

    private ConfigFixture given = new ConfigFixture(Path.of("/"));

    @BeforeEach
    void anEmptyFolder() {
        given = new ConfigFixture(folder);
    }

    @Test
    void withoutAnySourceAllDefaultsHold() {
        assertThat(ConfigFixture.texts(given.config()))
                .containsExactly(
                        "node.name=host-1",
                        "host.root=/",
                        "host.driverRoot=/",
                        "nvml.simulate=(not set)",
                        "nvml.deadline=5s",
                        "nvml.events=true",
                        "nvml.eventsWhileObserving=false",
                        "kubelet.root=/var/lib/kubelet",
                        "kubelet.uid=(not set)",
                        "kubelet.units=(not set)",
                        "kubernetes.kubeconfig=(not set)",
                        "kubernetes.claimStatusKubeconfig=(not set)",
                        "cdi.directory=/var/run/cdi",
                        "state.directory=/var/lib/imex-agent",
                        "featureGates.HostManagedIMEX=false",
                        "featureGates.IMEXDaemonsWithDNSNames=true",
                        "featureGates.ComputeDomainCliques=true",
                        "featureGates.HostManagedIMEXDaemon=false",
                        "imex.isolation=(not set)",
                        "imex.channels=128",
                        "imex.channelsPerNamespace=(not set)",
                        "imex.places=8",
                        "imex.sharing=(not set)",
                        "imex.cliqueMissing=Refuse",
                        "imex.health.watch=true",
                        "imex.health.interval=30s",
                        "imex.health.timeout=5s",
                        "imex.health.tool=/usr/bin/nvidia-imex-ctl",
                        "imex.health.systemctl=/usr/bin/systemctl",
                        "imex.health.configuration=/etc/nvidia-imex/config.cfg",
                        "imex.health.socket=(not set)",
                        "imex.health.gatePrepare=false",
                        "imex.health.taint=false",
                        "imex.health.taintAfter=1m",
                        "imex.health.nodeEvents=true",
                        "imex.service.manage=true",
                        "imex.service.packageName=nvidia-imex",
                        "imex.service.vendors=(not set)",
                        "imex.service.gate=true",
                        "imex.service.gpuNames=\\b(GB200|GB300)\\b",
                        "imex.service.pciDevices=2941,31C2,3041,307F",
                        "imex.service.allowFabric=true",
                        "imex.service.keepTrying=30m",
                        "publication.withoutClique=true",
                        "publication.cliqueLabel=false",
                        "placement.clique=Off",
                        "inventory.interval=30s",
                        "prepare.answerWithin=30s",
                        "deviceHealth.timeout=30s",
                        "deviceHealth.degraded=healthy",
                        "http.address=0.0.0.0",
                        "http.port=9408",
                        "http.tls.certificate=(not set)",
                        "http.tls.key=(not set)",
                        "http.tls.clientCa=(not set)",
                        "controller.kubeconfig=/etc/imex-agent/controller.conf",
                        "controller.namespace=imex-agent",
                        "controller.lostNodeAfter=10m",
                        "controller.callsPerSecond=300",
                        "controller.rackLabel=(not set)",
                        "controller.grafanaUrl=(not set)",
                        "controller.runbookUrl=(not set)",
                        "controller.port=9409",
                        "log.level=info",
                        "log.format=(not set)",
                        "rdma.enabled=false",
                        "rdma.exclude=^eth[0-9]+$",
                        "rdma.include=(not set)",
                        "rdma.includeUplinks=false",
                        "rdma.peer=(not set)",
                        "rdma.uplinks=(not set)",
                        "rdma.nodeAddresses=(not set)",
                        "rdma.storageDevices=(not set)",
                        "rdma.strict=false",
                        "rdma.taint=false",
                        "rdma.settleAfter=30s",
                        "rdma.topologyFile=(not set)",
                        "rdma.ncclGidIndex=false",
                        "rdma.runtime=(not set)");
        assertThat(given.config().imex().health())
                .isEqualTo(new ImexWatchSettings(
                        true,
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(5),
                        Path.of("/usr/bin/nvidia-imex-ctl"),
                        Path.of("/usr/bin/systemctl"),
                        Path.of("/etc/nvidia-imex/config.cfg"),
                        Optional.empty(),
                        false,
                        false,
                        Duration.ofMinutes(1),
                        true));
        assertThat(given.config().imex().service())
                .isEqualTo(new ImexServiceSettings(
                        true,
                        "nvidia-imex",
                        List.of(),
                        true,
                        "\\b(GB200|GB300)\\b",
                        List.of("2941", "31C2", "3041", "307F"),
                        true,
                        Duration.ofMinutes(30)));
        assertThat(given.config().rdma()).isEqualTo(Settings.PRESETS);
        assertThat(given.config().file()).isEmpty();
    }

    @Test
    void theFileBeatsDefaultsTheEnvironmentTheFileAndFlagsTheEnvironment() {
        given.file("""
            http:
              port: 1
              address: 127.0.0.1
            log:
              level: error
            """)
                .environment("IMEX_AGENT_HTTP_PORT", "2")
                .environment("IMEX_AGENT_LOG_LEVEL", "warn")
                .flag("--log-level", "debug");

        assertThat(given.valueOf("inventory.interval")).isEqualTo("30s from default");
        assertThat(given.valueOf("http.address")).isEqualTo("127.0.0.1 from FILE:3");
        assertThat(given.valueOf("http.port")).isEqualTo("2 from environment IMEX_AGENT_HTTP_PORT");
        assertThat(given.valueOf("log.level")).isEqualTo("debug from flag --log-level");
    }

    @Test
    void everyKeyCanBeSetInTheFileTheEnvironmentAndByAFlag() {
        for (ConfigKey key : ConfigKeys.ALL) {
            var file = new ConfigFixture(folder)
                    .file(new SectionedText()
                            .enter(key)
                            .line(key.name() + ": " + SectionedText.scalar(key.sample()))
                            .toString());
            var environment =
                    new ConfigFixture(folder.resolve("none")).environment(key.environmentVariable(), key.sample());
            var flag = new ConfigFixture(folder.resolve("none")).set(key.path() + "=" + key.sample());
            // A certificate needs its key, and the reverse, which is a fault of its own.
            if (!key.section().equals("http.tls")) {
                assertThat(file.valueOf(key.path())).startsWith(key.sample() + " from FILE:");
                assertThat(environment.valueOf(key.path()))
                        .isEqualTo(key.sample() + " from environment " + key.environmentVariable());
                assertThat(flag.valueOf(key.path())).isEqualTo(key.sample() + " from flag --set");
            }
        }
    }

    @Test
    void theLaterSetBeatsTheEarlierAndBothBeatAKeysOwnFlag() {
        given.flag("--http-port", "1").set("http.port=2").set("http.port=3");

        assertThat(given.config().http().port()).isEqualTo(3);
    }

    @Test
    void aFaultyValueIsAFaultEvenWhereAnotherSourceBeatsIt() {
        given.file("http: {port: none}").flag("--http-port", "1");

        assertThat(given.faults()).containsExactly("FILE:1: http.port: \"none\" is not a port from 0 to 65535");
    }

    @Test
    void aNamedFileMustExist() {
        Path missing = folder.resolve("missing.yaml");

        assertThat(given.faults(given.load(Optional.of(missing))))
                .containsExactly("cannot read the configuration file " + missing + ": No such file or directory");
    }

    @Test
    void theEnvironmentCanNameTheFileAndTheCommandLineBeatsIt() throws IOException {
        Path one = Files.writeString(folder.resolve("one.yaml"), "http: {port: 1}");
        Path two = Files.writeString(folder.resolve("two.yaml"), "http: {port: 2}");
        given.environment("IMEX_AGENT_CONFIG", one.toString());

        assertThat(given.config().http().port()).isEqualTo(1);
        assertThat(given.config().file()).contains(one);
        assertThat(ConfigFixture.config(given.load(Optional.of(two))).http().port())
                .isEqualTo(2);
    }

    @Test
    void aFileNamedInTheEnvironmentMustExist() {
        given.environment("IMEX_AGENT_CONFIG", "/nowhere/config.yaml");

        assertThat(given.faults())
                .containsExactly("cannot read the configuration file /nowhere/config.yaml: No such file or directory");
    }

    @Test
    void aDirectoryIsNoFile() {
        assertThat(given.faults(given.load(Optional.of(folder))))
                .containsExactly("cannot read the configuration file " + folder + ": Is a directory");
    }

    @Test
    void aFileThatIsNoTextIsAFault() throws IOException {
        Files.write(given.path(), new byte[] {(byte) 0xff, (byte) 0xfe, 0});

        assertThat(given.faults()).containsExactly("cannot read the configuration file FILE: it is not UTF-8 text");
    }

    @Test
    void aFileOfMoreThanAMegabyteIsAFault() {
        given.file("#".repeat((1 << 20) + 1));

        assertThat(given.faults()).containsExactly("cannot read the configuration file FILE: it is larger than 1 MiB");
    }

    @Test
    void anEmptyFileSetsNothing() {
        given.file("");

        assertThat(given.config().http().port()).isEqualTo(9408);
        assertThat(given.config().file()).contains(given.path());
    }

    @Test
    void anEmptyVariableSetsNothing() {
        given.environment("IMEX_AGENT_HTTP_PORT", "");

        assertThat(given.valueOf("http.port")).isEqualTo("9408 from default");
    }

    @Test
    void theNodesNameIsTheHostsInLowerCase() throws IOException {
        given.hostName(Optional.of("Node-7.Rack-2\n"));

        assertThat(given.valueOf("node.name")).isEqualTo("node-7.rack-2 from default");
    }

    @Test
    void aHostNameThatIsNoNodeNameMustBeOverruled() throws IOException {
        given.hostName(Optional.of("under_score\n"));

        assertThat(given.faults())
                .containsExactly("node.name: is not set, and the host name \"under_score\" is no node name;"
                        + " set it to the name of this host's Node object");
        assertThat(given.set("node.name=node-7").config().nodeName()).isEqualTo("node-7");
    }

    @Test
    void aHostNameThatCannotBeReadMustBeOverruled() {
        given.hostName(Optional.empty());

        assertThat(given.faults())
                .containsExactly("node.name: is not set, and /proc/sys/kernel/hostname cannot be read: No such"
                        + " file or directory; set it to the name of this host's Node object");
    }

    @Test
    void loadingAgainSeesWhatChangedInTheFile() throws IOException {
        ConfigLoader loader = given.loader();
        var sources = new ConfigSources(Optional.empty(), Map.of());
        Files.writeString(given.path(), "log: {level: info}");
        AgentConfig before = ConfigFixture.config(loader.load(sources));
        Files.writeString(given.path(), "log: {level: debug}");

        AgentConfig after = ConfigFixture.config(loader.load(sources));

        assertThat(before.logLevel()).isEqualTo(LogLevel.INFO);
        assertThat(after.logLevel()).isEqualTo(LogLevel.DEBUG);
    }

    @Test
    void noClaimSucceedsWhereNoneCanCome() {
        assertThat(new ConfigFixture(folder)
                        .set("imex.cliqueMissing=Succeed")
                        .set("publication.withoutClique=false")
                        .faults())
                .singleElement()
                .asString()
                .startsWith("flag --set: imex.cliqueMissing: Succeed prepares")
                .contains("publication.withoutClique: false");
        for (String alone : List.of("imex.cliqueMissing=Succeed", "publication.withoutClique=false")) {
            assertThat(new ConfigFixture(folder).set(alone).faults()).as(alone).isEmpty();
        }
    }

    @Test
    void tlsNeedsCertificateAndKey() {
        String rule = "; TLS needs certificate and key, plain HTTP none of the files";

        assertThat(new ConfigFixture(folder).set("http.tls.certificate=/c").faults())
                .containsExactly("flag --set: http.tls.certificate: is set without http.tls.key" + rule);
        assertThat(new ConfigFixture(folder).set("http.tls.key=/k").faults())
                .containsExactly("flag --set: http.tls.key: is set without http.tls.certificate" + rule);
        assertThat(new ConfigFixture(folder).set("http.tls.clientCa=/ca").faults())
                .containsExactly("flag --set: http.tls.clientCa: is set without http.tls.certificate" + rule);
        assertThat(new ConfigFixture(folder)
                        .set("http.tls.certificate=/c")
                        .set("http.tls.key=/k")
                        .set("http.tls.clientCa=/ca")
                        .config()
                        .http()
                        .tls())
                .isEqualTo(new HttpSettings.Tls(
                        Optional.of(Path.of("/c")), Optional.of(Path.of("/k")), Optional.of(Path.of("/ca"))));
    }

    @Test
    void faultsOfAllSourcesComeAtOnceTheFilesByLine() {
        given.file("""
            http:
              port: 99999
              prot: 1
            inventory:
              interval: 30
            """)
                .environment("IMEX_AGENT_LOG_LEVEL", "loud")
                .set("nope")
                .set("featureGates.HostManagedIMEX=true");

        assertThat(given.faults())
                .satisfiesExactly(
                        fault -> assertThat(fault)
                                .isEqualTo("FILE:2: http.port: \"99999\" is not a port from 0 to 65535"),
                        fault ->
                                assertThat(fault).isEqualTo("FILE:3: http.prot: unknown key; the nearest is http.port"),
                        fault -> assertThat(fault)
                                .isEqualTo("FILE:5: inventory.interval: \"30\" is not a duration from 1s to 1h, such"
                                        + " as 5s"),
                        fault -> assertThat(fault)
                                .isEqualTo("environment IMEX_AGENT_LOG_LEVEL: log.level: \"loud\" is not one of error,"
                                        + " warn, info, debug"),
                        fault -> assertThat(fault).isEqualTo("flag --set: \"nope\" is not <key>=<value>"),
                        fault -> assertThat(fault).startsWith("imex.isolation: is not set"));
    }
}
