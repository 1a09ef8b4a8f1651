package io.imexagent.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build says on a machine that has no JDK 25. It is run by the Maven on the PATH, which runs these tests too. */
final class MissingJdkIT {

    private static final String SAYS = "No JDK 25 was found";

    @TempDir
    Path places;

    @Test
    void oneLineNamesWhatIsMissingAndWhereToPutIt() throws Exception {
        Files.createFile(Files.createDirectories(places.resolve("jdk-21/bin")).resolve("javac"));
        Files.writeString(places.resolve("jdk-21/release"), "JAVA_VERSION=\"21.0.2\"\n");

        Build build = validate();

        assertThat(build.status()).isNotZero();
        assertThat(build.output().lines().filter(line -> line.contains(SAYS)))
                .singleElement()
                .asString()
                .contains("/usr/lib/jvm", "JAVA25_HOME");
        assertThat(build.output()).doesNotContain("toolchains.xml");
    }

    @Test
    void aJdk25AmongOthersIsEnough() throws Exception {
        Path compiler = Files.createFile(
                Files.createDirectories(places.resolve("jdk-25/bin")).resolve("javac"));
        assertThat(compiler.toFile().setExecutable(true)).isTrue();
        Files.writeString(places.resolve("jdk-25/release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.3\"\n");

        Build build = validate();

        assertThat(build.output()).doesNotContain(SAYS);
        assertThat(build.status()).as(build.output()).isZero();
    }

    private Build validate() throws IOException, InterruptedException {
        Path output = places.resolve("output");
        Process maven = new ProcessBuilder(
                        "mvn", "-B", "-o", "-q", "-N", "-Dexec.skip", "-Djdk.roots=" + places, "validate")
                .directory(Checkout.find().root().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!maven.waitFor(2, TimeUnit.MINUTES)) {
            maven.destroyForcibly();
            throw new IOException("the build did not end: " + Files.readString(output));
        }
        return new Build(maven.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    /** How a build ended. */
    private record Build(int status, String output) {}
}
