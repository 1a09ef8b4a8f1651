package io.imexagent.nvml.fake;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CCompilerTest {
    @Test
    void aMissingCompilerFailsWithTheRemedy(@TempDir Path directory) {
        CCompiler missing = CCompiler.named("no-such-compiler");

        assertThatThrownBy(() -> missing.compile("layout.c", directory.resolve("layout"), List.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-compiler does not start")
                .hasMessageContaining("apt install gcc");
    }

    @Test
    void aFaultInTheSourceFailsWithTheCompilersWords(@TempDir Path directory) {
        assertThatThrownBy(() -> CCompiler.gcc()
                        .compile("layout.c", directory.resolve("layout"), List.of("-Dmain=int", "-fsyntax-only")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("error:");
    }
}
