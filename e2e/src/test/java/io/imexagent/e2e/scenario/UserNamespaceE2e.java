package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.imex.probe.DeviceStat;
import io.imexagent.testing.api.object.Json;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What runc makes of a channel in a user namespace, and whether {@link ChannelNodes} foresees it. The bundle is that of a
 * pod with {@code hostUsers: false}; the device is /dev/zero's, since a machine without NVIDIA's driver can open that.
 */
class UserNamespaceE2e {

    private static final int MAJOR = 1;
    private static final int MINOR = 5;
    private static final Path NODES = Path.of("/", ChannelNodes.FOLDER.toString());
    private static final Path NODE = NODES.resolve("channel" + MINOR);

    private final Mounts mounts = new Mounts();
    private final boolean made = !Files.exists(NODES);
    private Path bundle = Path.of("/nowhere");

    @BeforeEach
    void aBundle() throws Exception {
        mounts.small(NODES);
        mode(NODES, "rwxr-xr-x");
        // The container's root must be able to pass.
        bundle = Files.createTempDirectory("user-namespace");
        mode(bundle, "rwxr-xr-x");
        for (String folder : List.of("usr", "proc", "dev", "sys", "tmp")) {
            Files.createDirectories(bundle.resolve("rootfs").resolve(folder));
        }
        for (String top : List.of("bin", "lib", "lib64")) {
            Files.createSymbolicLink(bundle.resolve("rootfs").resolve(top), Path.of("usr", top));
        }
        ObjectNode config = (ObjectNode) Json.resource(UserNamespaceE2e.class, "userns-bundle.json");
        config.withArray("/process/args")
                .removeAll()
                .add("/usr/bin/head")
                .add("-c")
                .add("1")
                .add(NODE.toString());
        ((ObjectNode) config.at("/linux/devices/0"))
                .put("path", NODE.toString())
                .put("major", MAJOR)
                .put("minor", MINOR);
        ((ObjectNode) config.at("/linux/resources/devices/1"))
                .put("major", MAJOR)
                .put("minor", MINOR);
        Files.writeString(bundle.resolve("config.json"), config.toString());
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        mounts.close();
        if (made) {
            Files.deleteIfExists(NODES);
        }
        assertThat(run("rm", "-rf", bundle.toString()).exitCode()).isZero();
    }

    @Test
    void withoutANodeOfTheHostTheContainerDoesNotStart() throws Exception {
        Result container = container();

        assertThat(container.exitCode()).isNotZero();
        assertThat(container.output()).contains("creating device nodes", "no such file or directory");
        assertThat(foreseen()).hasValueSatisfying(why -> assertThat(why).contains("the host has no " + NODE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"600", "660", "604", "602"})
    void aNodeThatIsNotOpenToAllIsClosedToTheContainer(String mode) throws Exception {
        node(mode);
        // Whoever may only write is let in by the kernel as far as that goes; CUDA wants both.
        if (!mode.equals("604")) {
            assertThat(container().output()).contains("Permission denied");
        }
        assertThat(foreseen()).hasValueSatisfying(why -> assertThat(why).contains("mode 0" + mode));
    }

    @Test
    void aFolderThatIsClosedClosesItsNodes() throws Exception {
        node("666");
        mode(NODES, "rwx------");

        assertThat(container().exitCode()).isNotZero();
        assertThat(foreseen()).hasValueSatisfying(why -> assertThat(why).contains("folder"));
    }

    @Test
    void aNodeThatIsOpenToAllWorks() throws Exception {
        node("666");

        assertThat(container()).isEqualTo(new Result(0, "\0"));
        assertThat(foreseen()).isEmpty();
    }

    private static Optional<String> foreseen() {
        return new ChannelNodes(Path.of("/"), DeviceStat.OF_FILES)
                .closed(new ChannelId(MINOR), new ChannelMajor.RegisteredMajor(MAJOR));
    }

    private static void node(String mode) throws IOException, InterruptedException {
        assertThat(run("mknod", "-m", mode, NODE.toString(), "c", "" + MAJOR, "" + MINOR)
                        .exitCode())
                .isZero();
    }

    private static void mode(Path folder, String mode) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
    }

    private Result container() throws IOException, InterruptedException {
        return run(
                "runc",
                "--root",
                bundle.resolve("state").toString(),
                "run",
                "--bundle",
                bundle.toString(),
                String.valueOf(bundle.getFileName()));
    }

    private record Result(int exitCode, String output) {}

    private static Result run(String... line) throws IOException, InterruptedException {
        Path output = Files.createTempFile("user-namespace", ".out");
        try {
            Process process = new ProcessBuilder(line)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", line) + " did not end:\n" + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output));
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
