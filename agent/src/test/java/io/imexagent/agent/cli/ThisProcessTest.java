package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ThisProcessTest {

    @Test
    void runsInAPodWhereTheKubeletNamesTheApiServer() {
        assertThat(process(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1")).inPod())
                .isTrue();
        assertThat(process(Map.of()).inPod()).isFalse();
    }

    @Test
    void isAServiceWhereSystemdStartedThisVeryProcess() {
        long self = ProcessHandle.current().pid();

        assertThat(process(Map.of("SYSTEMD_EXEC_PID", Long.toString(self))).isService())
                .isTrue();
        assertThat(process(Map.of("SYSTEMD_EXEC_PID", Long.toString(self + 1))).isService())
                .as("a shell of a service, or a login")
                .isFalse();
        assertThat(process(Map.of()).isService()).isFalse();
    }

    @Test
    void itsLibrariesAreLookedForInTheFoldersOfItsEnvironment() {
        assertThat(process(Map.of("LD_LIBRARY_PATH", "/opt/a/lib:relative::/opt/b/lib"))
                        .libraryPath())
                .containsExactly(Path.of("/opt/a/lib"), Path.of("/opt/b/lib"));
        assertThat(process(Map.of()).libraryPath()).isEmpty();
    }

    private static ThisProcess process(Map<String, String> environment) {
        return new ThisProcess("1", "abc", environment, Clock.systemUTC(), System::nanoTime, Math::random);
    }
}
