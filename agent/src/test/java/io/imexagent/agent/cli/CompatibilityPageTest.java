package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.fake.Configs;
import io.imexagent.core.check.Severity;
import io.imexagent.kubernetes.Nodes.NodeSoftware;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code docs/compatibility.md} says of versions what the code does, and calls tried what there are recordings of. */
class CompatibilityPageTest {

    private static final Path PAGE = Path.of("../docs/compatibility.md");

    /** Each row that names a lowest version, with the last one that is too old and the first that is not. */
    @ParameterizedTest
    @CsvSource({
        "| before 1.34 | no, v1.33.9, containerd://2.1.9, CRITICAL",
        "| 1.34 and 1.35 |, v1.34.0, containerd://2.1.9, OK",
        "| containerd 2.0 or later |, v1.36.2, containerd://2.0.0, OK",
        "| containerd 1.7 with `enable_cdi` | by design: from 1.7.2 on, v1.36.2, containerd://1.7.2, WARNING",
        "| containerd 1.7 with `enable_cdi` |, v1.36.2, containerd://1.7.0, WARNING",
        "| containerd 1.7 with `enable_cdi` |, v1.36.2, containerd://1.6.33, CRITICAL",
        "| CRI-O 1.28 or later |, v1.36.2, cri-o://1.28.0, OK",
        "| CRI-O 1.28 or later |, v1.36.2, cri-o://1.27.9, CRITICAL"
    })
    void itsLowestVersionsAreThoseOfCheck(String row, String kubelet, String runtime, Severity worst)
            throws IOException {
        assertThat(Files.readString(PAGE)).contains(row);
        assertThat(SoftwareChecks.of(new NodeSoftware(kubelet, runtime, true)).stream()
                        .map(result -> result.severity())
                        .max(Enum::compareTo))
                .contains(worst);
    }

    /** {@code check} warns of every containerd 1.7, and in other words of those that take no CDI devices. */
    @ParameterizedTest
    @CsvSource({"containerd://1.7.1, true", "containerd://1.7.2, false"})
    void whichContainerd17TakesCdiDevicesIsAsCheckSays(String runtime, boolean takesNone) throws IOException {
        assertThat(Files.readString(PAGE)).contains("| containerd 1.7 with `enable_cdi` | by design: from 1.7.2 on");
        assertThat(SoftwareChecks.of(new NodeSoftware("v1.36.2", runtime, true)).stream()
                        .anyMatch(result -> result.message().contains("takes no CDI devices")))
                .isEqualTo(takesNone);
    }

    @Test
    void eachGpuThatOpensTheGateByItsPciDeviceIsThere(@TempDir Path folder) throws IOException {
        String page = Files.readString(PAGE);

        assertThat(Configs.under(folder, false).imex().service().pciDevices())
                .isNotEmpty()
                .allSatisfy(device -> assertThat(page).containsPattern("\\(PCI devices [^)]*\\b" + device + "\\b"));
    }

    @Test
    void eachReleaseOfThePublicDriverOfWhichThereAreRecordingsIsCalledTried() throws IOException {
        for (String module : new String[] {"checkpoint", "cdi"}) {
            assertThat(Path.of("..", module, "src/test/resources/public-driver-0.5"))
                    .isDirectory();
        }
        assertThat(Files.readString(PAGE)).contains("| 0.5, `hostManaged`, isolation `domain` | tried both ways");
    }
}
