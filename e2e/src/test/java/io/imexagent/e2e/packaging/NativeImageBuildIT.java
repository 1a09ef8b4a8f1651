package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script that builds the native executable, with a program in place of native-image that writes its arguments. */
class NativeImageBuildIT {

    private static final int UNAVAILABLE = 69;

    @TempDir
    private Path folder;

    private Path program;
    private Path output;

    @BeforeEach
    void places() {
        program = folder.resolve("home/bin/native-image");
        output = folder.resolve("output");
    }

    @Test
    void saysInOneLineThatThereIsNone() throws Exception {
        Run run = run(Map.of("NATIVE_IMAGE", program.toString()));

        assertThat(run.status()).isEqualTo(UNAVAILABLE);
        assertThat(run.output()).hasSize(1);
        assertThat(run.output().getFirst())
                .contains("there is no " + program, "set NATIVE_IMAGE", "GRAALVM_HOME", "JDK 25");
    }

    @ParameterizedTest
    @ValueSource(strings = {"native-image 24.0.2 2025-07-15", "native-image 250 2030-01-01", "openjdk 25.0.1", ""})
    void refusesAnotherVersion(String version) throws Exception {
        nativeImage(version);

        Run run = run(Map.of("NATIVE_IMAGE", program.toString()));

        assertThat(run.status()).isEqualTo(UNAVAILABLE);
        assertThat(run.output()).hasSize(1);
        assertThat(run.output().getFirst()).contains("is not for JDK 25, it says: " + version, "set NATIVE_IMAGE");
        assertThat(output).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"native-image 25 2025-09-16", "native-image 25.0.1 2025-10-21"})
    void buildsWhatShipsWithTheOptionsOfTheFile(String version) throws Exception {
        nativeImage(version);

        Run run = run(Map.of("GRAALVM_HOME", folder.resolve("home").toString()));

        assertThat(run.status()).as(String.join("\n", run.output())).isZero();
        assertThat(output).isDirectoryContaining("glob:**/build.json");
        assertThat(output.resolve("native"))
                .isDirectoryContaining("glob:**/libjnidispatch.so")
                .isDirectoryNotContaining("glob:**/libjffi*");
        assertThat(Files.readAllLines(output.resolve("jars")))
                .contains("imex-agent.jar")
                .noneMatch(jar -> jar.matches("(asm|jffi|jnr)-.*"));
        List<String> arguments = Files.readAllLines(output.resolve("bin/imex-agent"));
        assertThat(arguments)
                .startsWith("@packaging/native-image/options")
                .endsWith("io.imexagent.agent.runtime.Main")
                .contains("-Djna.nosys=true")
                .anyMatch(argument -> argument.matches("-Dimexagent\\.image\\.properties=.*-Djna\\.nosys=true.*"))
                .doesNotContain("-g");
        assertThat(arguments.get(arguments.indexOf("-cp") + 1))
                .contains("/metadata:", "/imex-agent.jar", "/jna-")
                .doesNotContain("/jnr-", "/jffi-", "/asm-");
    }

    @Test
    void handsOutTheDebugSymbolsOnRequest() throws Exception {
        nativeImage("native-image 25.0.1 2025-10-21");

        Run run = run(Map.of("NATIVE_IMAGE", program.toString(), "SYMBOLS", "yes"));

        assertThat(run.status()).as(String.join("\n", run.output())).isZero();
        assertThat(Files.readAllLines(output.resolve("bin/imex-agent"))).contains("-g");
        assertThat(output.resolve("bin/imex-agent.debug")).exists();
    }

    private void nativeImage(String version) throws IOException {
        Files.createDirectories(program.getParent());
        Files.writeString(program, """
                        #!/bin/sh
                        [ "$1" != --version ] || { echo '%s'; exit 0; }
                        for argument; do
                          [ "$last" != -o ] || to=$argument
                          case $argument in -H:BuildOutputJSONFile=*) echo '{}' >"${argument#*=}" ;; esac
                          last=$argument
                        done
                        printf '%%s\\n' "$@" >"$to"
                        : >"$to.debug"
                        """.formatted(version));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Run run(Map<String, String> environment) throws IOException, InterruptedException {
        Path script = Checkout.find().root().resolve("packaging/native-image/build");
        var builder = new ProcessBuilder(script.toString(), output.toString()).redirectErrorStream(true);
        List.of("NATIVE_IMAGE", "GRAALVM_HOME", "SYMBOLS").forEach(builder.environment()::remove);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), said.lines().toList());
    }

    /** How the script ended, and the lines that it printed. */
    private record Run(int status, List<String> output) {}
}
