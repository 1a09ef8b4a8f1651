package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.machine.Commands.Result;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What configuration management calls, over the real dnf, rpm and systemd: a repository in a folder, a fake package. */
class ProvisionE2e {

    private static final Path REPOSITORY = Path.of("/srv/repository");

    @Test
    void installsByDnfAndEnablesAndIsDone() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            repository(machine, true);
            assertThat(machine.boot()).as(machine.console()).isEqualTo("running");

            Result check = machine.run("imex-agent", "provision", "--check");
            assertThat(check.exitCode()).as(check.output()).isEqualTo(4);
            assertThat(check.output())
                    .contains("would install package nvidia-imex: dnf --assumeyes install nvidia-imex")
                    .contains("would enable nvidia-imex.service: systemctl enable nvidia-imex.service");
            assertThat(machine.run("rpm", "--query", "nvidia-imex").exitCode()).isNotZero();

            Result done = machine.run("imex-agent", "provision");
            assertThat(done.exitCode()).as(done.output()).isZero();
            assertThat(done.output())
                    .contains("changed: installed package nvidia-imex")
                    .contains("changed: enabled nvidia-imex.service");
            assertThat(machine.succeed("rpm", "--query", "nvidia-imex")).startsWith("nvidia-imex-580.95.05");
            assertThat(machine.succeed("systemctl", "is-enabled", ImexDaemon.UNIT))
                    .isEqualTo("enabled");
            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState"))
                    .as("what is enabled starts at the next boot")
                    .isEqualTo("inactive");

            Result again = machine.run("imex-agent", "provision");
            assertThat(again.exitCode()).isZero();
            assertThat(again.output()).startsWith("nothing to do").doesNotContain("changed:");
            assertThat(machine.run("imex-agent", "provision", "--check").exitCode())
                    .isZero();

            Result pinned =
                    machine.run("imex-agent", "provision", "--set", "imex.service.packageName=nvidia-imex-580.95.05");
            assertThat(pinned.exitCode()).as(pinned.output()).isZero();
            assertThat(pinned.output()).startsWith("nothing to do").doesNotContain("changed:");

            machine.succeed("systemctl", "disable", ImexDaemon.UNIT);
            machine.succeed("systemctl", "mask", ImexDaemon.UNIT);
            Result masked = machine.run("imex-agent", "provision");
            assertThat(masked.exitCode()).isZero();
            assertThat(masked.output()).contains("is masked and left alone");
            assertThat(machine.run("systemctl", "is-enabled", ImexDaemon.UNIT).output())
                    .isEqualTo("masked");
        }
    }

    /** As on the builder of an image: what is enabled there is skipped by the gate where there is no GPU. */
    @Test
    void provisionsAHostWithoutGpuAndTheGateSkipsTheStart() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA");
            repository(machine, true);
            machine.boot();

            Result spared = machine.run("imex-agent", "provision", "--only-with-gpu");
            assertThat(spared.exitCode()).as(spared.output()).isZero();
            assertThat(spared.output()).contains("no NVIDIA GPU on this host");

            Result done = machine.run("imex-agent", "provision");
            assertThat(done.exitCode()).as(done.output()).isZero();
            assertThat(done.output())
                    .contains("changed: installed package nvidia-imex")
                    .contains("changed: enabled nvidia-imex.service");

            machine.run("systemctl", "start", ImexDaemon.UNIT);
            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("inactive");
            assertThat(machine.property(ImexDaemon.UNIT, "Result")).isEqualTo("exec-condition");
            assertThat(machine.succeed("systemctl", "is-enabled", ImexDaemon.UNIT))
                    .isEqualTo("enabled");
            assertThat(machine.succeed("systemctl", "list-units", "--failed", "--plain", "--no-legend"))
                    .isEmpty();
        }
    }

    @Test
    void tellsWhatDnfSaysWhereThePackageIsNowhere() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            repository(machine, false);
            machine.boot();

            Result failed = machine.run("imex-agent", "provision");

            assertThat(failed.exitCode()).isEqualTo(1);
            assertThat(failed.output())
                    .contains("failed: dnf --assumeyes install nvidia-imex ended with 1")
                    .contains("Unable to find a match: nvidia-imex")
                    .doesNotContain("changed:");
        }
    }

    /** Gives dnf one repository in a folder. */
    private static void repository(SystemdMachine machine, boolean holdsIt) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(machine.file(REPOSITORY.toString()));
        if (holdsIt) {
            Path imex = Packages.find().imex();
            Files.copy(imex, folder.resolve(imex.getFileName()));
        }
        Result made = machine.offline("createrepo_c", REPOSITORY.toString());
        assertThat(made.exitCode()).as(made.output()).isZero();
        machine.write("/etc/yum.repos.d/test.repo", """
                [test]
                name=Packages of the test
                baseurl=file://%s
                gpgcheck=0
                """.formatted(REPOSITORY));
    }
}
