package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResidentMemoryTest {

    @TempDir
    private Path folder;

    @Test
    void readsWhatTheKernelTells() throws IOException {
        assertThat(bytes("Name:\tjava\nVmHWM:\t  999 kB\nVmRSS:\t   91234 kB\nThreads:\t20\n"))
                .isEqualTo(91234 * 1024.0);
    }

    @Test
    void isNoNumberWhereTheKernelDoesNotTell() throws IOException {
        assertThat(bytes("Name:\tkthreadd\n")).isNaN();
        assertThat(bytes("VmRSS:\tmuch\n")).isNaN();
        assertThat(Meters.residentBytes(folder.resolve("missing"))).isNaN();
    }

    private double bytes(String status) throws IOException {
        return Meters.residentBytes(Files.writeString(folder.resolve("status"), status));
    }
}
