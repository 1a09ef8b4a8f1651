package io.imexagent.testing.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FakeHostTest {

    @Test
    void looksLikeATrayWithItsDriverLoaded(@TempDir Path directory) throws Exception {
        FakeHost host = FakeHost.create(directory);

        assertThat(host.root().resolve("proc/devices")).content().contains("\n507 nvidia-caps-imex-channels\n508 ");
        assertThat(host.root().resolve("proc/driver/nvidia/params")).content().contains("\nImexChannelCount: 2048\n");
        assertThat(host.root().resolve("sys/class/dmi/id/sys_vendor")).hasContent("NVIDIA");
        assertThat(host.registrationSocket().getParent()).isDirectory();
    }

    @Test
    void losesItsChannelsAndGetsThemBackUnderAnotherMajor(@TempDir Path directory) throws Exception {
        FakeHost host = FakeHost.create(directory);

        host.withoutChannelMajor();
        assertThat(host.root().resolve("proc/devices")).content().doesNotContain("imex");

        host.channelMajor(234);
        assertThat(host.root().resolve("proc/devices")).content().contains("\n234 nvidia-caps-imex-channels\n");
    }

    @Test
    void rebootsWithAnotherBootIdAndWithoutCdiFiles(@TempDir Path directory) throws Exception {
        FakeHost host = FakeHost.create(directory);
        String before = host.bootId();
        Files.writeString(host.cdiDirectory().resolve("claim_1.yaml"), "");
        assertThat(host.cdiFiles("1")).hasSize(1);

        host.reboot();

        assertThat(host.bootId()).isNotEqualTo(before);
        assertThat(host.cdiFiles()).isEmpty();
    }

    @Test
    void refusesAFolderTooDeepForSockets(@TempDir Path directory) {
        Path deep = directory.resolve("a-name-of-some-length".repeat(4));

        assertThatThrownBy(() -> FakeHost.create(deep))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("take a shorter folder");
    }
}
