package io.imexagent.e2e.machine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.machine.Commands.Result;
import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The image under test, in a store of podman's own that is gone with its folder. */
final class ContainerImage {

    /** The system property that names the folder of images. */
    private static final String PROPERTY = "imexagent.images";

    private final List<String> podman;
    private final String name;

    private ContainerImage(List<String> podman, String name) {
        this.podman = podman;
        this.name = name;
    }

    /** Where {@code make image-container} has put the image, and what lies beside it. */
    static Path folder() {
        return Path.of(System.getProperty(
                PROPERTY, Checkout.find().root().resolve("target/container").toString()));
    }

    /** The one file of a kind in such a folder. */
    static Path file(Path folder, String kind) throws IOException {
        List<Path> found = Checkout.files(folder, "imex-agent-[0-9]*." + Packages.architecture() + "." + kind);
        if (found.size() != 1) {
            throw new IOException(
                    "expected one image in " + folder + ", found " + found + "; run: make image-container");
        }
        return found.getFirst();
    }

    /** Loads the image into a store in this folder. */
    static ContainerImage load(Path store) throws IOException, InterruptedException {
        List<String> podman = List.of(
                "podman",
                "--runtime=crun",
                "--root=" + store.resolve("root"),
                "--runroot=" + store.resolve("run"),
                "--tmpdir=" + store.resolve("tmp"),
                "--storage-driver=vfs",
                "--cgroup-manager=cgroupfs");
        List<String> load = new ArrayList<>(podman);
        load.addAll(List.of("load", "--quiet", "--input=" + file(folder(), "oci.tar")));
        String loaded = Commands.succeed(SystemdMachine.LONG, load);
        return new ContainerImage(podman, loaded.substring(loaded.lastIndexOf(' ') + 1));
    }

    /** The name under which it is loaded, without its tag. */
    String repository() {
        return name.substring(0, name.lastIndexOf(':'));
    }

    /** The line of a command of podman. */
    List<String> line(String... arguments) {
        List<String> line = new ArrayList<>(podman);
        line.addAll(List.of(arguments));
        return line;
    }

    /** The beginning of a line that runs a container, with limits that a builder may set who is in a container himself. */
    List<String> running() {
        return line("run", "--rm", "--cgroups=disabled", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024");
    }

    /** Runs a command of the image to its end, in a container without a network or a right. */
    Result run(String... arguments) throws IOException, InterruptedException {
        List<String> line = running();
        line.addAll(List.of(
                "--network=none",
                "--read-only",
                "--read-only-tmpfs=false",
                "--cap-drop=all",
                "--security-opt=no-new-privileges",
                name));
        line.addAll(List.of(arguments));
        return Commands.run(SystemdMachine.LONG, line);
    }

    /** What the image says of itself. */
    JsonNode inspect() throws IOException, InterruptedException {
        return new ObjectMapper()
                .readTree(Commands.succeed(SystemdMachine.LONG, line("image", "inspect", name)))
                .path(0);
    }

    /** The names of all files of the image, without the leading slash. */
    List<String> files(Path scratch) throws IOException, InterruptedException {
        Path archive = scratch.resolve("files.tar");
        Commands.succeed(SystemdMachine.LONG, line("create", "--name=files", name));
        Commands.succeed(SystemdMachine.LONG, line("export", "--output=" + archive, "files"));
        String names = Commands.succeed(SystemdMachine.LONG, List.of("tar", "-tf", archive.toString()));
        Files.delete(archive);
        return names.lines().toList();
    }
}
