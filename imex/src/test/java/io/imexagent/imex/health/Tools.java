package io.imexagent.imex.health;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A host with an nvidia-imex of shell scripts, which write down how they were called. */
final class Tools {

    private final Path root;

    Tools(Path root) throws IOException {
        this.root = root;
        Files.createDirectories(root.resolve("bin"));
        Files.createDirectories(root.resolve("etc/nvidia-imex"));
        Files.createDirectories(root.resolve("usr/lib/systemd/system"));
        Files.createFile(root.resolve("usr/lib/systemd/system/nvidia-imex.service"));
        unit("loaded", "active");
    }

    /** How this host is watched; a question may take so long. */
    ImexWatchSettings settings(Duration timeout) {
        return new ImexWatchSettings(
                true,
                Duration.ofSeconds(30),
                timeout,
                root.resolve("bin/nvidia-imex-ctl"),
                root.resolve("bin/systemctl"),
                Path.of("/etc/nvidia-imex/config.cfg"),
                Optional.empty(),
                false,
                false,
                Duration.ofMinutes(1),
                false);
    }

    /** Lets systemctl say this of the unit. */
    void unit(String load, String active) throws IOException {
        script(
                "systemctl",
                "printf 'LoadState=" + load + "\\nActiveState=" + active
                        + "\\nSubState=x\\nUnitFileState=enabled\\nResult=success\\n'");
    }

    /** Lets systemctl do this; {@code $*} has the arguments. */
    void systemctl(String body) throws IOException {
        script("systemctl", body);
    }

    /** Lets nvidia-imex-ctl do this; {@code $*} has the arguments. */
    void tool(String body) throws IOException {
        script("nvidia-imex-ctl", body);
    }

    private void script(String name, String body) throws IOException {
        Path file = root.resolve("bin").resolve(name);
        Path fresh = root.resolve("bin").resolve(name + ".new");
        Files.writeString(
                fresh, "#!/bin/sh\necho \"" + name + " $*\" >> '" + root.resolve("calls") + "'\n" + body + "\n");
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.move(fresh, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    /** How the scripts were called, in their order. */
    List<String> calls() throws IOException {
        Path calls = root.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    void forgetCalls() throws IOException {
        Files.deleteIfExists(root.resolve("calls"));
    }
}
