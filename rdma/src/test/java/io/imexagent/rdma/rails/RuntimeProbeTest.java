package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.rails.RuntimeProbe.ArpHook;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runtimes are scripts that answer as runc 1.4, runc 1.1 and a program from before {@code features} do. */
class RuntimeProbeTest {

    @TempDir
    Path folder;

    private ArpHook hook = ArpHook.INSTALLED;

    @BeforeEach
    void theHookIsThere() throws IOException {
        script("nsenter", "exit 0");
        hook = new ArpHook(script("rail-arp-hook", "exit 0"), List.of(folder));
    }

    @Test
    void aRuntimeThatSaysItCanIsBelieved() throws IOException {
        Path runc = script("runc", """
            [ "$1" = features ] || exit 1
            echo '{"ociVersionMax":"1.3.0","linux":{"namespaces":["network"],"netDevices":{"enabled":true}}}'\
            """);

        assertThat(look(runc))
                .isEqualTo(new NetdevSupport.Supported(hook.program().toString()));
    }

    @Test
    void aRuntimeThatSaysNothingOfInterfacesIsNamedWithItsVersion() throws IOException {
        Path runc = script("runc", """
            case $1 in
            features) echo '{"ociVersionMax":"1.0.2-dev","linux":{"namespaces":["network"]}}' ;;
            --version) echo 'runc version 1.1.5+ds1'; echo 'commit: x' ;;
            esac\
            """);

        assertThat(reason(look(runc)))
                .startsWith(runc + " (runc version 1.1.5+ds1) cannot move network interfaces")
                .contains("runc 1.4.0", "crun 1.22", "containerd 2.2.1");
    }

    @Test
    void aRuntimeThatIsToldNotToIsNoHelp() throws IOException {
        Path crun = script("crun", "echo '{\"linux\":{\"netDevices\":{\"enabled\":false}}}'");

        assertThat(look(crun)).isInstanceOf(NetdevSupport.Unsupported.class);
    }

    @Test
    void aRuntimeWithoutFeaturesIsTooOld() throws IOException {
        Path runc = script("runc", "echo 'No help topic for features' ; exit 3");

        assertThat(reason(look(runc))).contains("cannot move network interfaces");
    }

    @Test
    void aProgramThatIsNotThereIsNamed() {
        assertThat(reason(look(folder.resolve("absent")))).contains("absent cannot be asked", "set rdma.runtime");
    }

    @Test
    void anOperatorWhoNamesNoRuntimeIsTold() {
        assertThat(reason(new RuntimeProbe(Optional::empty, hook).read())).contains("set rdma.runtime");
    }

    @Test
    void withoutTheHookNothingIsMoved() throws IOException {
        Path runc = script("runc", "echo '{\"linux\":{\"netDevices\":{\"enabled\":true}}}'");

        hook = new ArpHook(folder.resolve("no-hook"), List.of(folder));
        assertThat(reason(look(runc))).contains("no-hook is missing", "install the package");
    }

    @Test
    void withoutWhatTheHookNeedsNothingIsMoved() throws IOException {
        Path runc = script("runc", "echo '{\"linux\":{\"netDevices\":{\"enabled\":true}}}'");

        hook = new ArpHook(hook.program(), List.of(folder.resolve("bin"), folder.resolve("sbin")));
        assertThat(reason(look(runc))).contains("nsenter is missing", "install util-linux-core");
    }

    @Test
    void whatWasToldLastStands() throws IOException {
        Path runc = script("runc", "echo '{\"linux\":{\"netDevices\":{\"enabled\":true}}}'");
        var probe = new RuntimeProbe(() -> Optional.of(runc), hook);

        assertThat(reason(probe.current())).contains("not been asked yet");
        probe.read();
        assertThat(probe.current()).isInstanceOf(NetdevSupport.Supported.class);
    }

    private NetdevSupport look(Path runtime) {
        return new RuntimeProbe(() -> Optional.of(runtime), hook).read();
    }

    private static String reason(NetdevSupport support) {
        return ((NetdevSupport.Unsupported) support).reason();
    }

    private Path script(String name, String body) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }
}
