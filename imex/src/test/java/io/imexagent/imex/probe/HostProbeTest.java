package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostProbeTest {

    private static final DeviceStat NO_NODE = path -> {
        throw new NoSuchFileException(path.toString());
    };

    @TempDir
    private Path folder;

    private HostTree host;

    @BeforeEach
    void makeHost() {
        host = HostTree.gb200(folder);
    }

    @Test
    void readsAHostThatIsWell() {
        NodeInventory facts = read(node(239, 0, 0666));

        assertThat(facts.channelMajor()).isEqualTo(new ChannelMajor.RegisteredMajor(239));
        assertThat(facts.channelCount()).isEqualTo(OptionalInt.of(2048));
        assertThat(facts.channelNode()).isEqualTo(new ChannelNode.PresentNode(239, 0, 0666));
        assertThat(facts.bootId()).contains(new BootId(HostTree.BOOT_ID));
        assertThat(facts.vendor()).contains("NVIDIA");
        assertThat(facts.findings()).isEmpty();
    }

    @Test
    void findsNothingWrongInANodeThatIsMissing() {
        NodeInventory facts = read(NO_NODE);

        assertThat(facts.channelNode()).isEqualTo(new ChannelNode.AbsentNode());
        assertThat(facts.findings()).isEmpty();
    }

    @Test
    void warnsOfANodeWithAnotherMajor() {
        assertThat(finding(node(240, 0, 0666), "channel-node-mismatch"))
                .returns(Severity.WARNING, Finding::severity)
                .returns("the host's channel0 is 240:0, the kernel says 239:0", Finding::message);
    }

    @Test
    void warnsOfANodeWithAnotherMinor() {
        assertThat(finding(node(239, 1, 0666), "channel-node-mismatch").message())
                .contains("239:1");
    }

    @Test
    void mentionsANodeThatIsNotOpenToAll() {
        assertThat(finding(node(239, 0, 0600), "channel-node-closed").severity())
                .isEqualTo(Severity.INFO);
    }

    @Test
    void warnsOfAFileInPlaceOfTheNode() {
        host.with("dev/nvidia-caps-imex-channels/channel0", "");

        assertThat(finding(DeviceStat.OF_FILES, "channel-node-unusable").message())
                .isEqualTo("/dev/nvidia-caps-imex-channels/channel0 is not a character device");
    }

    @Test
    void warnsOfANodeThatCannotBeLookedAt() {
        DeviceStat broken = path -> {
            throw new IOException("Input/output error");
        };

        assertThat(finding(broken, "channel-node-unusable").message()).contains("Input/output error");
    }

    @Test
    void comparesNoNodeWhileThereIsNoMajor() {
        host.with("proc/devices", "Character devices:\n  1 mem\n");

        NodeInventory facts = read(node(240, 0, 0666));

        assertThat(facts.findings()).extracting(Finding::code).containsExactly("channel-major-missing");
    }

    @Test
    void tellsADriverThatIsNotLoadedByItsMissingMajor() {
        host.with("proc/devices", "Character devices:\n  1 mem\n").without("proc/driver/nvidia/params");

        NodeInventory facts = read(NO_NODE);

        assertThat(facts.channelMajor()).isEqualTo(new ChannelMajor.UnregisteredMajor());
        assertThat(facts.channelCount()).isEmpty();
        assertThat(facts.findings()).extracting(Finding::code).containsExactly("channel-major-missing");
    }

    @Test
    void cannotTellTheMajorWhenProcIsHidden() {
        host.without("proc/devices");

        NodeInventory facts = read(NO_NODE);

        assertThat(facts.channelMajor())
                .isEqualTo(new ChannelMajor.UnknownMajor("/proc/devices cannot be read: No such file or directory"));
        assertThat(finding(NO_NODE, "channel-major-unknown").remedy()).contains("ProcSubset");
    }

    @Test
    void cannotTellTheMajorFromGarbage() {
        host.with("proc/devices", "\0\u00ff garbage");

        assertThat(finding(NO_NODE, "channel-major-unknown").severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void findsChannelsThatAreSwitchedOff() {
        host.with("proc/driver/nvidia/params", "ImexChannelCount: 0\n");

        assertThat(finding(NO_NODE, "channels-off").remedy()).contains("NVreg_ImexChannelCount");
    }

    @Test
    void warnsOfParametersThatCannotBeRead() {
        host.unreadable("proc/driver/nvidia/params");

        assertThat(read(NO_NODE).channelCount()).isEmpty();
        assertThat(finding(NO_NODE, "driver-parameters-unreadable").severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void warnsOfABootIdThatIsMissingOrEmpty() {
        host.without("proc/sys/kernel/random/boot_id");
        assertThat(finding(NO_NODE, "boot-id-unknown").message()).contains("No such file");

        host.with("proc/sys/kernel/random/boot_id", " \n");
        assertThat(finding(NO_NODE, "boot-id-unknown").message()).contains("it is empty");
        assertThat(read(NO_NODE).bootId()).isEmpty();
    }

    @Test
    void findsNothingWrongInAMachineWithoutDmi() {
        host.without("sys/class/dmi/id/sys_vendor");

        NodeInventory facts = read(NO_NODE);

        assertThat(facts.vendor()).isEmpty();
        assertThat(facts.findings()).isEmpty();
    }

    private NodeInventory read(DeviceStat stat) {
        return new HostProbe(host.root(), stat)
                .read(NvmlFacts.failing("not asked"), List.of(), InstantSource.fixed(Instant.EPOCH));
    }

    private Finding finding(DeviceStat stat, String code) {
        return read(stat).findings().stream()
                .filter(finding -> finding.code().equals(code))
                .findFirst()
                .orElseThrow();
    }

    private static DeviceStat node(int major, int minor, int permissions) {
        return path -> {
            assertThat(path.toString()).endsWith("dev/nvidia-caps-imex-channels/channel0");
            return new DeviceStat.Attributes(0020000 | permissions, (long) major << 8 | minor);
        };
    }
}
