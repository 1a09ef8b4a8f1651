package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JnaNvmlIT {
    private record Outcome(int exit, String output) {}

    @Test
    void aProcessAnswersFromTheFileThatItsEnvironmentNames(@TempDir Path root) throws Exception {
        FakeNvmlLibrary fake = FakeNvmlLibrary.compile(root);
        fake.write(TrayPreset.NO_GPU.tray().withVersions("7.7.7", "13.7.7.7"));
        Path elsewhere = Files.move(fake.configuration(), root.resolve("elsewhere.conf"));
        fake.write(TrayPreset.GB200);

        assertThat(print(root, List.of(), Map.of())).isEqualTo(new Outcome(0, "580.95.05 4\n"));
        assertThat(print(root, List.of(), Map.of(FakeNvmlLibrary.ENVIRONMENT, elsewhere.toString())))
                .isEqualTo(new Outcome(0, "7.7.7 0\n"));
    }

    @Test
    void worksWithJnasLibraryShippedBesideIt(@TempDir Path root, @TempDir Path shipped) throws Exception {
        FakeNvmlLibrary.compile(root);
        unpackJnaTo(shipped);

        assertThat(print(root, withoutUnpacking(shipped), Map.of())).isEqualTo(new Outcome(0, "580.95.05 4\n"));
    }

    @Test
    void saysWhatToDoWhereJnasLibraryIsMissing(@TempDir Path root, @TempDir Path empty) throws Exception {
        FakeNvmlLibrary.compile(root);

        Outcome outcome = print(root, withoutUnpacking(empty), Map.of());

        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.output())
                .contains("LibraryNotLoadable")
                .contains("point jna.boot.library.path at the directory that holds libjnidispatch.so");
    }

    /** ldconfig(8) of this machine, for a root of its own: the layouts are those that the linker reads. */
    @ParameterizedTest
    @ValueSource(strings = {"new", "compat"})
    void findsALibraryWhereOnlyTheLinkersCacheSaysThatItIs(String layout, @TempDir Path root) throws Exception {
        FakeNvmlLibrary fake = FakeNvmlLibrary.compile(root);
        Path folder = root.resolve("opt/nvidia/lib");
        Files.createDirectories(folder.getParent());
        Files.move(fake.library().getParent(), folder);
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("etc/ld.so.conf"), "/opt/nvidia/lib\n");
        Process ldconfig = new ProcessBuilder("/sbin/ldconfig", "-r", root.toString(), "-c", layout)
                .redirectErrorStream(true)
                .start();
        String words = new String(ldconfig.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(ldconfig.waitFor()).as(words).isZero();

        assertThat(LinkerCache.files(root, "libnvidia-ml.so.1")).containsExactly("/opt/nvidia/lib/libnvidia-ml.so.1");
        assertThat(print(root, List.of(), Map.of())).isEqualTo(new Outcome(0, "580.95.05 4\n"));
    }

    private static List<String> withoutUnpacking(Path directory) {
        return List.of(
                "-Djna.nosys=true",
                "-Djna.nounpack=true",
                "-Djna.boot.library.path=" + directory,
                "-Djna.platform.library.path=" + directory);
    }

    private static void unpackJnaTo(Path directory) throws IOException {
        String resource = "/com/sun/jna/" + Platform.RESOURCE_PREFIX + "/libjnidispatch.so";
        try (InputStream library = Native.class.getResourceAsStream(resource)) {
            assertThat(library).as(resource).isNotNull();
            Files.copy(library, directory.resolve("libjnidispatch.so"));
        }
    }

    private static Outcome print(Path driverRoot, List<String> options, Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        line.addAll(options);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), PrintDriver.class.getName()));
        line.add(driverRoot.toString());
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }
}
