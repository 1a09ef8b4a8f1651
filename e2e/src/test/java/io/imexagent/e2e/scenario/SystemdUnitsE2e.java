package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the systemd of this machine says of the units: copies of them, over programs that exist. */
class SystemdUnitsE2e {

    private static final Path UNITS = Checkout.find().root().resolve("systemd/units");

    /** 2.5, as the tool counts. */
    private static final String MOST_EXPOSED = "25";

    @TempDir
    Path directory;

    @BeforeEach
    void copies() throws IOException {
        Path agent = Files.writeString(directory.resolve("imex-agent"), "#!/bin/sh\n");
        assertThat(agent.toFile().setExecutable(true)).isTrue();
        Files.createDirectories(directory.resolve("nvidia-imex.service.d"));
        for (String unit : List.of(
                "imex-agent.service",
                "imex-controller.service",
                "imex-agent-late-driver.service",
                "imex-agent-late-driver.path",
                "nvidia-imex.service.d/10-imex-agent.conf")) {
            Files.writeString(
                    directory.resolve(unit),
                    Files.readString(UNITS.resolve(unit))
                            .replace("/usr/bin/imex-agent", agent.toString())
                            .replace("/usr/libexec/imex-agent/late-driver", agent.toString())
                            // The tool looks the pages up, and they come with the package.
                            .replaceAll("(?m)^Documentation=.*$", ""));
        }
        Files.writeString(directory.resolve("nvidia-imex.service"), """
            [Unit]
            Description=A stand-in
            [Service]
            Type=forking
            TimeoutStartSec=infinity
            ExecStart=/bin/true
            """);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "imex-agent.service",
                "imex-controller.service",
                "imex-agent-late-driver.service",
                "imex-agent-late-driver.path",
                "nvidia-imex.service"
            })
    void systemdUnderstandsTheUnit(String unit) throws Exception {
        assertThat(run("systemd-analyze", "verify", directory.resolve(unit).toString()))
                .isEqualTo(new Result(0, ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"imex-agent.service", "imex-controller.service", "imex-agent-late-driver.service"})
    void theUnitIsExposedAsLittleAsItsWorkAllows(String unit) throws Exception {
        Result result = run(
                "systemd-analyze",
                "security",
                "--offline=true",
                "--no-pager",
                "--threshold=" + MOST_EXPOSED,
                directory.resolve(unit).toString());

        assertThat(result.code()).as(result.output()).isZero();
        assertThat(result.output()).contains("Overall exposure level");
    }

    @Test
    void theDirectoriesAreMadeAndTheUserToo() throws Exception {
        Path root = directory.resolve("root");

        assertThat(makeDirectories(root).code()).isZero();
        assertThat(root.resolve("run/imex-agent")).isDirectory();
        assertThat(root.resolve("run/cdi")).isDirectory();
        assertThat(root.resolve("var/lib/kubelet")).isDirectory();
        assertThat(run(
                        "systemd-sysusers",
                        "--dry-run",
                        UNITS.resolve("imex-agent.sysusers.conf").toString()))
                .satisfies(
                        result -> assertThat(result.code()).as(result.output()).isZero());
    }

    @Test
    void theJournalReadsItsCatalogue() throws Exception {
        Path root = directory.resolve("root");
        Path catalogue =
                Files.createDirectories(root.resolve("usr/lib/systemd/catalog")).resolve("imex-agent.catalog");
        Files.createDirectories(root.resolve("var/lib/systemd/catalog"));
        Files.copy(UNITS.resolve("imex-agent.catalog"), catalogue);

        assertThat(run("journalctl", "--root=" + root, "--update-catalog")).isEqualTo(new Result(0, ""));
        assertThat(run("journalctl", "--root=" + root, "--no-pager", "--list-catalog")
                        .output()
                        .lines())
                .hasSize(10)
                .contains("f80c6e5908cc4abd81a095fcc0976f29 imex-agent: A claim is refused");
    }

    /** The kubelet's folder is the kubelet's: it may be closed to all others, or belong to a user of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"var/lib/kubelet", "run/cdi"})
    void aDirectoryThatExistsKeepsModeAndOwner(String existing) throws Exception {
        Path root = directory.resolve("lived-in");
        Path folder = Files.createDirectories(root.resolve(existing));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(folder, "unix:uid", 4711);

        assertThat(makeDirectories(root).code()).isZero();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        assertThat(Files.getAttribute(folder, "unix:uid")).isEqualTo(4711);
    }

    private static Result makeDirectories(Path root) throws IOException, InterruptedException {
        return run(
                "systemd-tmpfiles",
                "--root=" + root,
                "--create",
                UNITS.resolve("imex-agent.tmpfiles.conf").toString());
    }

    private record Result(int code, String output) {}

    private static Result run(String... command) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(new ArrayList<>(List.of(command))).redirectErrorStream(true);
        builder.environment().put("SYSTEMD_LOG_LEVEL", "warning");
        builder.environment().put("SYSTEMD_COLORS", "0");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.strip());
    }
}
