package io.imexagent.fabric.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildProgramTest {

    private static final String NATIVE_IMAGE = "org.graalvm.nativeimage.imagecode";

    @Test
    void aChildIsStartedByTheJarOfItsParent() throws IOException {
        assertThat(words("java", "-Xmx64m", "-jar", "/lib/imex-agent.jar", "fabric", "local", "-o", "json"))
                .endsWith("-Xmx64m", "-jar", "/lib/imex-agent.jar", "fabric", "child");
    }

    @Test
    void aChildIsStartedByTheFilesOfOptionsOfTheImage() throws IOException {
        assertThat(words("java", "@/home/jvm.options", "@/home/container.options", "fabric", "rank"))
                .endsWith("@/home/jvm.options", "@/home/container.options", "fabric", "child")
                .contains("-XX:-CreateCoredumpOnCrash");
    }

    @Test
    void anyOtherStartIsRefused() {
        assertThatThrownBy(() -> words("java", "-cp", "x", "Main", "fabric", "rank"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("start it by the launcher");
    }

    @Test
    void aNativeImageStartsItself() throws IOException {
        System.setProperty(NATIVE_IMAGE, "runtime");
        try {
            assertThat(ChildProgram.ofThisProcess().words())
                    .containsExactly(Path.of("/proc/self/exe").toRealPath().toString(), "fabric", "child");
        } finally {
            System.clearProperty(NATIVE_IMAGE);
        }
    }

    private static List<String> words(String... started) throws IOException {
        return ChildProgram.startedBy(List.of(started)).words();
    }
}
