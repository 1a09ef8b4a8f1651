package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the gate goes by, of files with and without faults. */
class HostSideTest {

    @TempDir
    Path folder;

    private ConfigFixture fixture = new ConfigFixture(Path.of("/"));

    @BeforeEach
    void aFile() {
        fixture = new ConfigFixture(folder);
    }

    @Test
    void isThePartOfTheWholeConfiguration() {
        fixture.file("host:\n  root: /host\nimex:\n  service:\n    vendors: A;B\n");

        AgentConfig whole = fixture.config();
        assertThat(loaded().host()).isEqualTo(whole.host());
        assertThat(loaded().nvml()).isEqualTo(whole.nvml());
        assertThat(loaded().service()).isEqualTo(whole.imex().service());
        assertThat(loaded().elsewhere()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http:\n  port: none",
                "http:\n  prt: 1",
                "htpp:\n  port: 1",
                "http: 5",
                "featureGates:\n  HostManagedIMEX: true", // without imex.isolation
                "imex:\n  helth:\n    watch: true",
                "imex:\n  isolation: Some",
                "node:\n  name: not a name",
                "log:\n  level: info\nlog:\n  level: debug"
            })
    void holdsWhateverIsWrongElsewhere(String text) {
        fixture.file(text + "\nhost:\n  root: /host\n");
        assertThat(fixture.faults()).isNotEmpty();

        assertThat(loaded().host().root()).isEqualTo(Path.of("/host"));
    }

    @Test
    void holdsWithoutANodeName() {
        fixture.hostName(Optional.empty());

        assertThat(loaded().service().gate()).isTrue();
    }

    @Test
    void tellsWhatIsWrongElsewhere() {
        fixture.file("http:\n  prt: 1\nlog:\n  level: loud\n");

        assertThat(loaded().elsewhere().stream().map(ConfigFault::text))
                .hasSize(2)
                .anyMatch(text -> text.contains("http.prt"))
                .anyMatch(text -> text.contains("log.level"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "imex:\n  service:\n    gate: perhaps",
                "imex:\n  service:\n    vendor: QEMU",
                "imex:\n  service: 5",
                "imex: 5",
                "imex:\n  channels: 128\nimex:\n  service:\n    vendors: QEMU",
                "host:\n  root: host",
                "nvml:\n  simulate: gb100",
                "http: [",
                "- a list"
            })
    void aFaultThatMayConcernTheHostLeavesItOpen(String text) {
        fixture.file(text + "\n");

        assertThat(load()).isInstanceOf(LoadResult.FaultyConfig.class);
    }

    @Test
    void aFileThatCannotBeReadLeavesItOpen() {
        assertThat(fixture.loadHostSide(Optional.of(folder.resolve("none.yaml"))))
                .isInstanceOf(LoadResult.FaultyConfig.class);
    }

    @Test
    void whatTheCommandLineSaysWrongLeavesItOpen() {
        fixture.set("http.port=none");

        assertThat(load()).isInstanceOf(LoadResult.FaultyConfig.class);
    }

    @Test
    void aGateThatIsSwitchedOffStaysSoWhateverIsWrong() {
        fixture.file("imex:\n  service:\n    gate: false\n    gpuNames: '('\n    vendor: QEMU\nhost:\n  root: host\n");

        assertThat(loaded().service().gate()).isFalse();
        assertThat(loaded().host().root()).isEqualTo(Path.of("/"));
        assertThat(loaded().elsewhere()).hasSize(3);
    }

    @Test
    void aGateIsSwitchedOffWithoutAFileThatCanBeRead() {
        fixture.file("http: [").environment("IMEX_AGENT_IMEX_SERVICE_GATE", "false");

        assertThat(loaded().service().gate()).isFalse();
    }

    @Test
    void aLaterSourceMendsAFaultyValueAndIsToldOfItStill() {
        fixture.file("log:\n  level: loud\n").environment("IMEX_AGENT_LOG_LEVEL", "info");

        assertThat(loaded().elsewhere()).extracting(ConfigFault::key).isEqualTo(List.of(Optional.of("log.level")));
    }

    private LoadResult<HostSide> load() {
        return fixture.loadHostSide(Optional.empty());
    }

    private HostSide loaded() {
        return ((LoadResult.LoadedConfig<HostSide>) load()).effective();
    }
}
