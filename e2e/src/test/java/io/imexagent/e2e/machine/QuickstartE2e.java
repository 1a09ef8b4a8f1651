package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.quickstart.Quickstart;
import io.imexagent.e2e.quickstart.Quickstart.Place;
import io.imexagent.e2e.quickstart.Quickstart.Step;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.host.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * docs/quickstart.md, by its own commands: on a booted tray that has what must be so before, as a node and as a control-plane
 * host, between the doubles of API server, scheduler and kubelet. A pod that lists its channel runs under podman with what
 * the agent has prepared; the script of a Job runs as processes of this host. Stand-ins: kubectl, kubeadm, and nvidia-imex.
 */
class QuickstartE2e {

    /** Where NVML has the GPUs of the tray. */
    private static final List<String> GPUS = List.of("0008:06:00.0", "0009:06:00.0", "0018:06:00.0", "0019:06:00.0");

    /** What the driver makes with NVreg_CreateImexChannel0=1. */
    private static final String CHANNEL_0 = "mkdir /dev/nvidia-caps-imex-channels && mknod -m 666"
            + " /dev/nvidia-caps-imex-channels/channel0 c " + Tray.CHANNEL_MAJOR + " 0";

    private static final String KUBEADM = """
            #!/bin/sh
            [ "$*" = "kubeconfig user --client-name imex-controller" ] || exit 64
            cat /srv/controller.conf
            """;

    /** The package of a release, by any architecture and distribution. */
    private static final Pattern PACKAGE = Pattern.compile("imex-agent-\\d[\\w.]*-1\\.\\w+\\.(aarch64|x86_64)\\.rpm");

    @Test
    void fromTheFilesOfAReleaseToAJobOnTwoTrays() throws Exception {
        List<Step> steps = Quickstart.steps(Place.HOST);
        assertThat(steps).hasSizeGreaterThan(5);
        try (Scratch scratch = Scratch.create();
                SystemdMachine machine = Machines.bare()) {
            Packages packages = Packages.find().into(machine);
            machine.offline(
                    "rpm", "--force-debian", "--install", packages.base().toString());
            Tray tray = Tray.in(machine, "NVIDIA");
            for (String address : GPUS) {
                tray.pciDevice(address, "2941");
            }
            tray.load(TrayPreset.GB200);
            ImexDaemon.in(machine);
            try (HostNode node = HostNode.around(machine);
                    var cluster = new PageCluster(scratch.directory(), machine, node)) {
                machine.program("/usr/bin/kubeadm", KUBEADM);
                node.api()
                        .writeKubeconfig(machine.file("/srv/controller.conf"), new Login.TokenLogin(PageCluster.TOKEN));
                machine.boot();
                machine.succeed("sh", "-c", CHANNEL_0);
                for (Step step : steps) {
                    lay(step, machine, packages);
                    String output = cluster.run(step);

                    assertThat(step.isShownBy(output))
                            .as(
                                    "docs/quickstart.md shows%n%s%nafter %s, which prints%n%s",
                                    step.shown(), step.command(), output)
                            .isTrue();
                }
                assertThat(cluster.logs.values()).as("pods that ran").hasSize(3);
            }
        }
    }

    /** Lays a package that a command names into root's folder, under that name. */
    private static void lay(Step step, SystemdMachine machine, Packages packages) throws IOException {
        var named = PACKAGE.matcher(step.command());
        while (named.find()) {
            Path copy = machine.file("/root/" + named.group());
            Files.createDirectories(copy.resolveSibling("."));
            Files.copy(machine.file(packages.agent().toString()), copy);
        }
    }
}
