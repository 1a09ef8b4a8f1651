package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.kubelet.KubeletUnits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeletRootWatchTest {

    private static final Path WATCHED = Path.of("/var/lib/kubelet");

    @TempDir
    Path folder;

    private final AtomicBoolean registered = new AtomicBoolean();

    @BeforeEach
    void aKubeletWithAnotherRoot() throws Exception {
        systemctl("--root-dir=/data/kubelet");
    }

    @Test
    void namesTheDirectoryThatIsWatchedAndThatOfTheKubelet() throws Exception {
        KubeletRootWatch watch = watch();

        watch.check();

        assertThat(watch.condition().name()).isEqualTo("kubelet-root");
        assertThat(watch.condition().holds()).isFalse();
        assertThat(watch.condition().detail())
                .contains("kubelet.service", "/data/kubelet", "below /var/lib/kubelet", "set kubelet.root");
    }

    @Test
    void aKubeletThatHasRegisteredTheAgentLooksWhereItShould() throws Exception {
        KubeletRootWatch watch = watch();
        watch.check();

        registered.set(true);

        assertThat(watch.condition().holds()).isTrue();
        assertThat(watch.condition().detail()).isEqualTo("/var/lib/kubelet");
    }

    @Test
    void isContentWithTheSameDirectoryAndBeforeTheFirstLook() throws Exception {
        KubeletRootWatch watch = watch();
        assertThat(watch.condition().holds()).isTrue();

        systemctl("--v=2");
        watch.check();

        assertThat(watch.condition().holds()).isTrue();
    }

    @Test
    void aHostWithoutSystemdTellsNothing() throws Exception {
        Files.delete(folder.resolve("systemctl"));
        KubeletRootWatch watch = watch();

        watch.check();

        assertThat(watch.condition().holds()).isTrue();
        assertThat(watch.condition().detail()).isEqualTo("/var/lib/kubelet");
    }

    private KubeletRootWatch watch() {
        return new KubeletRootWatch(
                KubeletUnits.of(folder.resolve("systemctl"), List.of("kubelet.service"), Path.of("/")),
                WATCHED,
                registered::get);
    }

    private void systemctl(String argument) throws Exception {
        Path script = Files.writeString(folder.resolve("systemctl"), """
            #!/bin/sh
            echo Id=kubelet.service
            echo ActiveState=active
            echo 'ExecStart={ path=/usr/bin/kubelet ; argv[]=/usr/bin/kubelet %s ; ignore_errors=no ; pid=7 }'
            """.formatted(argument));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
