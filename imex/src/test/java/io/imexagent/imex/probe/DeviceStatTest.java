package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceStatTest {

    /** {@code gnu_dev_makedev} of glibc. */
    @Property
    void splitsADeviceIntoMajorAndMinor(
            @ForAll @IntRange(max = 0xfffff) int major, @ForAll @IntRange(max = 0xfffff) int minor) {
        long device =
                (major & 0xfffL) << 8 | (major & 0xfffff000L) << 32 | (minor & 0xffL) | (minor & 0xffffff00L) << 12;

        var attributes = new DeviceStat.Attributes(0020666, device);

        assertThat(attributes.major()).isEqualTo(major);
        assertThat(attributes.minor()).isEqualTo(minor);
    }

    @Test
    void seesTheKernelsNullDevice() throws IOException {
        DeviceStat.Attributes nullDevice = DeviceStat.OF_FILES.of(Path.of("/dev/null"));

        assertThat(nullDevice.isCharacterDevice()).isTrue();
        assertThat(nullDevice.major()).isEqualTo(1);
        assertThat(nullDevice.minor()).isEqualTo(3);
    }

    @Test
    void followsNoLink(@TempDir Path folder) throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("null"), Path.of("/dev/null"));

        assertThat(DeviceStat.OF_FILES.of(link).isCharacterDevice()).isFalse();
    }

    @Test
    void tellsAFileFromADevice(@TempDir Path folder) throws IOException {
        assertThat(DeviceStat.OF_FILES
                        .of(Files.createFile(folder.resolve("channel0")))
                        .isCharacterDevice())
                .isFalse();
    }
}
