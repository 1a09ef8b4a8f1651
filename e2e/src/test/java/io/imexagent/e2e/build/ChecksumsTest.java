package io.imexagent.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build takes from Maven's registry has the listed bytes, or the build says what has not. */
class ChecksumsTest {
    private static final Path ROOT = Checkout.find().root();
    private static final String JAR = "org/one/1.0/one-1.0.jar";
    private static final String POM = "org/one/1.0/one-1.0.pom";

    @TempDir
    private Path folder;

    private Path repository = Path.of("");

    @BeforeEach
    void aRepositoryOfWhatIsListed() throws Exception {
        repository = folder.resolve("repository");
        put(JAR, "code");
        put(POM, "model");
        var list = new StringBuilder();
        for (String file : List.of(JAR, POM)) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(repository.resolve(file)));
            list.append(HexFormat.of().formatHex(digest))
                    .append("  ")
                    .append(file)
                    .append('\n');
        }
        Files.writeString(folder.resolve("list"), list);
    }

    @Test
    void whatIsListedPasses() throws Exception {
        Path classPath = Files.writeString(
                folder.resolve("class-path"), repository.resolve(JAR) + ":" + ROOT.resolve("core/target/core.jar"));

        assertThat(checksums("check", repository, classPath, classPath)).isEmpty();
        assertThat(checksums("whole", repository)).isEmpty();
    }

    @Test
    void aJarOfOtherBytesIsNamed() throws Exception {
        put(JAR, "c0de");

        assertThat(checksums("check", repository)).contains(JAR + ": FAILED").doesNotContain(POM);
    }

    @Test
    void aJarOfAClassPathThatIsNotListedIsNamed() throws Exception {
        put("org/two/2.0/two-2.0.jar", "code");
        Path classPath = Files.writeString(
                folder.resolve("class-path"),
                repository.resolve(JAR) + ":" + repository.resolve("org/two/2.0/two-2.0.jar"));

        assertThat(checksums("check", repository)).isEmpty();
        assertThat(checksums("check", repository, classPath))
                .contains("org/two/2.0/two-2.0.jar", "make checksums")
                .doesNotContain(JAR);
        assertThat(checksums("whole", repository)).contains("org/two/2.0/two-2.0.jar");
    }

    @Test
    void aRepositoryWithNothingOfItYetPasses() throws Exception {
        assertThat(checksums("check", Files.createDirectory(folder.resolve("fresh"))))
                .isEmpty();
    }

    @Test
    void theListHasWhatShips() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve(".mvn/checksums/checksums.sha256")))
                .allMatch(line -> line.matches("[0-9a-f]{64}  \\S+"))
                .anyMatch(line -> line.matches(".*/vertx-core-[0-9.]+\\.jar"))
                .anyMatch(line -> line.matches(".*/maven-compiler-plugin-[0-9.]+\\.jar"))
                .anyMatch(line -> line.matches(".*/protoc-[0-9.]+-linux-x86_64\\.exe"));
    }

    private void put(String file, String content) throws IOException {
        Files.createDirectories(repository.resolve(file).getParent());
        Files.writeString(repository.resolve(file), content);
    }

    /** What it says, which is nothing where it ends with 0. */
    private String checksums(String command, Path... arguments) throws IOException, InterruptedException {
        List<String> line =
                new ArrayList<>(List.of(ROOT.resolve("bin/checksums").toString(), command));
        for (Path argument : arguments) {
            line.add(argument.toString());
        }
        ProcessBuilder process = new ProcessBuilder(line).redirectErrorStream(true);
        process.environment().put("CHECKSUMS", folder.resolve("list").toString());
        Process started = process.start();
        String said = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(started.waitFor() == 0).as(said).isEqualTo(said.isEmpty());
        return said;
    }
}
