package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that lays out Debian's packages, with programs in place of apt's that fetch nothing. */
class SysrootTest {

    @TempDir
    private Path folder;

    @Test
    void whatIsThereAlreadyStaysUnlessItComesFromAnotherRegistry() throws Exception {
        program("apt-get", "exit 0");
        program("dpkg-deb", "echo zlib1g");

        assertThat(run("http://one.example/debian")).contains("fetching zlib1g");
        assertThat(run("http://one.example/debian")).isEmpty();
        assertThat(run("http://snapshot.example/debian")).contains("fetching zlib1g");
    }

    private String run(String mirror) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(
                        Checkout.find().root().resolve("packaging/rpm/sysroot").toString(),
                        "x86_64",
                        folder.resolve("base").toString(),
                        "zlib1g")
                .redirectErrorStream(true);
        builder.environment().put("E2E_DEBIAN_MIRROR", mirror);
        builder.environment().merge("PATH", folder + ":", (path, first) -> first + path);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private void program(String name, String line) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
