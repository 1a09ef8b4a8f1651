package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The agent under systemd on a booted tray, called over its sockets from outside. */
class ServiceE2e {
    private static final String AGENT = HostNode.AGENT;
    private static final String CONTROLLER = "imex-controller.service";

    @Test
    void aTrayBootsServesComesBackAndStops() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            FakeNvmlLibrary driver = Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            ImexDaemon imex = ImexDaemon.in(machine);
            try (HostNode node = HostNode.of(machine)) {
                assertThat(machine.boot()).as(machine.console()).isEqualTo("running");
                assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("active");
                assertThat(imex.starts()).isEqualTo(1);
                assertThat(machine.property(AGENT, "ActiveState")).isEqualTo("active");

                node.awaitRegistered();
                String status = node.awaitStatus("registered");
                assertThat(status).contains("GB200").contains("channel major " + Tray.CHANNEL_MAJOR);

                Workload workload = node.schedule(1);
                assertThat(node.prepare(workload)).hasSize(1);
                assertThat(node.awaitStatus("1 claim prepared")).contains("registered");
                assertThat(node.awaitStatus("IMEX domain")).contains("IMEX domain UP 1/1");
                assertThat(machine.succeed("cat", spec(workload)))
                        .contains("/dev/nvidia-caps-imex-channels/channel0")
                        .contains(String.valueOf(Tray.CHANNEL_MAJOR));

                theJournalHasItsFields(machine, workload);
                assertThat(machine.run("imex-agent", "check").output())
                        .as("beside the agent that serves")
                        .contains("no other plugin of compute-domain.nvidia.com runs on this node");
                assertThat(machine.shell("sed /certificate-authority/d /etc/kubernetes/kubelet.conf >/run/public.conf;"
                                        + " imex-agent check --kubeconfig /run/public.conf")
                                .output())
                        .as("where the kubeconfig has no authority, the public ones vouch for the server, or do not")
                        .contains("is not signed by the certificate authority");
                assertThat(machine.succeed("cat", "/proc/net/unix"))
                        .as("no name but the socket's where the kubelet watches, sandboxed as the unit is")
                        .contains("/plugins/compute-domain.nvidia.com/.reg.sock.new")
                        .doesNotContain("/plugins_registry/.");
                watchesNvidiaImex(machine, node, imex);
                killedItComesBackWithTheClaim(machine, node, workload);
                reloads(machine, node);
                goesWrong(machine, node, driver);
                stops(machine, node);
                comesBackOnlyWithACheckpoint(machine, node, workload);
                whatIsAutomatedOnHasItsFields(machine);
                assertThat(imex.starts())
                        .as("starts of nvidia-imex, which is the operator's, who started it once more")
                        .isEqualTo(2);
            }
        }
    }

    /** From within the sandbox of the unit, through the journal's own socket; the package has the catalogue. */
    private static void theJournalHasItsFields(SystemdMachine machine, Workload workload)
            throws IOException, InterruptedException {
        String id = "41b030d93e704cc6ba8842de321ba0a0";
        String uid = workload.claim().uid();
        String[] entry = {
            "journalctl", "--boot", "--no-pager", "--unit", AGENT, "MESSAGE_ID=" + id, "IMEX_CLAIM_UID=" + uid
        };
        assertThat(machine.succeed(with(entry, "--output", "json")))
                .contains("\"MESSAGE\":\"claim prepared claim=")
                .contains("\"IMEX_NODE\":\"" + SystemdMachine.NAME + "\"")
                .contains("\"PRIORITY\":\"6\"", "\"SYSLOG_IDENTIFIER\":\"imex-agent\"")
                .contains("\"_TRANSPORT\":\"journal\"", "\"_SYSTEMD_UNIT\":\"" + AGENT + "\"");
        assertThat(machine.succeed(with(entry, "--catalog")))
                .contains("Subject: A claim is prepared")
                .contains("the UID " + uid + " are ready");
    }

    /** Whatever of the catalogue has happened to this machine, as automation reads it. */
    private static void whatIsAutomatedOnHasItsFields(SystemdMachine machine) throws IOException, InterruptedException {
        Map<String, String> subjects = Pattern.compile("-- ([0-9a-f]{32})\nSubject: (.+)\n")
                .matcher(Files.readString(Checkout.find().root().resolve("systemd/units/imex-agent.catalog")))
                .results()
                .collect(Collectors.toMap(entry -> entry.group(1), entry -> entry.group(2)));
        var seen = new TreeSet<String>();
        String entries = machine.succeed("journalctl", "--boot", "--no-pager", "--unit", AGENT, "--output", "json");
        for (String line : entries.lines().toList()) {
            JsonNode entry = Json.literal(line);
            String id = entry.path("MESSAGE_ID").asText();
            if (subjects.containsKey(id)) {
                String message = entry.path("MESSAGE").asText();
                seen.add(subjects.get(id));
                assertThat(entry.path("IMEX_NODE").asText()).as(message).isEqualTo(SystemdMachine.NAME);
                assertThat(entry.path("PRIORITY").asText()).as(message).matches("[3-6]");
                assertThat(entry.has("IMEX_CLAIM_UID")).as(message).isEqualTo(message.contains(" uid="));
                assertThat(entry.has("IMEX_CODE")).as(message).isEqualTo(message.contains(" code="));
            }
        }
        assertThat(seen)
                .as("all but a conflict of channels, which takes other nodes")
                .containsExactlyInAnyOrder(
                        "The kubelet has taken the driver on",
                        "The agent does not start",
                        "The record of prepared claims was broken",
                        "A claim is prepared",
                        "A claim is refused",
                        "A claim is unprepared",
                        "nvidia-imex does not work as it should",
                        "nvidia-imex works",
                        "A GPU has reported an error");
    }

    private static String[] with(String[] command, String... more) {
        return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
    }

    /** From within the sandbox of the unit: the daemon and its control program are reached, and systemd is. */
    private static void watchesNvidiaImex(SystemdMachine machine, HostNode node, ImexDaemon imex)
            throws IOException, InterruptedException {
        imex.says("READY", "DOWN");
        assertThat(node.awaitStatus("IMEX domain DEGRADED 1/1, nvidia-imex says DOWN"))
                .contains("registered");
        imex.says("READY", "UP");
        node.awaitStatus("IMEX domain UP 1/1");

        imex.says("Query Status returned error code: 14", "DOWN");
        machine.succeed("systemctl", "stop", ImexDaemon.UNIT);
        node.awaitStatus("nvidia-imex inactive");
        imex.says("READY", "UP");
        machine.succeed("systemctl", "start", ImexDaemon.UNIT);
        node.awaitStatus("IMEX domain UP 1/1");

        awaitListening(machine);
    }

    private static void awaitListening(SystemdMachine machine) throws IOException, InterruptedException {
        machine.await(
                "the agent to listen for Xids, and a command to see what it heard",
                () -> machine.run("imex-agent", "probe").output().contains("none heard by the agent since"));
    }

    private static void killedItComesBackWithTheClaim(SystemdMachine machine, HostNode node, Workload workload)
            throws IOException, InterruptedException {
        String killed = node.processId();
        int before = node.registrations();
        machine.succeed("kill", "-KILL", killed);

        node.awaitRegistrationAfter(before);
        machine.await(
                "the agent to be active again",
                () -> machine.property(AGENT, "ActiveState").equals("active"));
        assertThat(node.processId()).isNotEqualTo(killed).isNotEqualTo("0");
        node.awaitStatus("1 claim prepared");
        assertThat(machine.run("test", "-f", spec(workload)).exitCode()).isZero();
        assertThat(node.prepare(workload)).hasSize(1);
    }

    private static void reloads(SystemdMachine machine, HostNode node) throws IOException, InterruptedException {
        String process = node.processId();
        node.configure("debug", "http:\n  port: 9500\n");
        machine.succeed("systemctl", "reload", AGENT);

        machine.await(
                "the log to tell of both",
                () -> machine.journal(AGENT).contains("configuration reloaded change=\"log.level info -> debug\"")
                        && machine.journal(AGENT)
                                .contains(
                                        "configuration change waits for a restart change=\"http.port 9408 -> 9500\""));
        machine.await(
                "the agent to be active again",
                () -> machine.property(AGENT, "ActiveState").equals("active"));
        assertThat(node.awaitStatus("waits for a restart: http.port")).contains("registered");
        assertThat(node.processId()).isEqualTo(process);

        node.configure("debug");
        machine.succeed("systemctl", "reload", AGENT);
        machine.await(
                "nothing to wait for a restart",
                () -> !machine.property(AGENT, "StatusText").contains("waits for a restart"));
        // Each line has its priority from the agent, so that journalctl --priority finds what matters.
        assertThat(machine.run("journalctl", "--unit", AGENT, "--priority", "debug", "--output", "cat")
                        .output())
                .doesNotContain("<6>");
    }

    /** A claim of no pod of this node, and an error of a GPU that a program made. */
    private static void goesWrong(SystemdMachine machine, HostNode node, FakeNvmlLibrary driver)
            throws IOException, InterruptedException {
        assertThat(node.refuse(new Workload("default", SystemdMachine.NAME, 7))).contains("[api_unavailable]");
        awaitListening(machine);
        driver.emit(0, EventType.XID, 31);
        machine.await(
                "the Xid to be told of",
                () -> machine.journal(AGENT).contains("GPU reported an Xid gpu=0 xid=31 of=program"));
    }

    private static void stops(SystemdMachine machine, HostNode node) throws IOException, InterruptedException {
        machine.succeed("systemctl", "stop", AGENT);

        assertThat(machine.property(AGENT, "Result")).isEqualTo("success");
        assertThat(machine.property(AGENT, "ExecMainStatus")).isEqualTo("0");
        assertThat(machine.file("/var/lib/kubelet/plugins_registry/compute-domain.nvidia.com-reg.sock"))
                .doesNotExist();
        assertThat(node.publishedDevices())
                .as("devices stay, the kubelet withdraws them")
                .isEqualTo(1);
    }

    /** With both generations damaged, and a claim's CDI spec there, it refuses to start until there is a good backup. */
    private static void comesBackOnlyWithACheckpoint(SystemdMachine machine, HostNode node, Workload workload)
            throws IOException, InterruptedException {
        Path checkpoint = machine.file("/var/lib/kubelet/plugins/compute-domain.nvidia.com/checkpoint.json");
        Path backup = checkpoint.resolveSibling("checkpoint.json.bak");
        String good = Files.readString(backup);
        Files.writeString(checkpoint, "{");
        Files.writeString(backup, "{");
        int before = node.registrations();

        machine.run("systemctl", "start", AGENT);
        machine.await("a start to be refused", () -> machine.journal(AGENT).contains("cannot serve reason="));
        Files.writeString(backup, good);
        node.awaitRegistrationAfter(before);
        node.unprepare(workload);
        machine.succeed("systemctl", "stop", AGENT);
    }

    @Test
    void theWatchdogEndsAnAgentThatIsStuck() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            machine.write("/etc/systemd/system/imex-agent.service.d/test.conf", """
                    [Service]
                    WatchdogSec=3s
                    TimeoutAbortSec=1s
                    """);
            try (HostNode node = HostNode.of(machine)) {
                machine.boot();
                node.awaitRegistered();
                String stuck = node.processId();
                int before = node.registrations();

                // The watchdog's signal: the JVM writes what its threads do.
                machine.succeed("kill", "-QUIT", stuck);
                machine.await(
                        "the stacks of the threads",
                        () -> machine.journal(AGENT).contains("Full thread dump"));
                machine.succeed("kill", "-STOP", stuck);

                node.awaitRegistrationAfter(before);
                assertThat(node.processId()).isNotEqualTo(stuck);
                assertThat(machine.property(AGENT, "NRestarts")).isNotEqualTo("0");
                assertThat(machine.journal(AGENT)).contains("Watchdog timeout");
            }
        }
    }

    /** A new process would wait at the same file: the agent stays, says so, and reads on once the file answers. */
    @Test
    void aFileOfTheDriverThatHangsEndsNoAgentAndHoldsUpNoStart() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray tray = Tray.in(machine, "NVIDIA").gb200();
            tray.load(TrayPreset.GB200);
            machine.write("/etc/systemd/system/imex-agent.service.d/test.conf", """
                    [Service]
                    WatchdogSec=6s
                    """);
            try (HostNode node = HostNode.of(machine)) {
                machine.boot();
                node.awaitRegistered();
                Workload workload = node.schedule(1);
                assertThat(node.prepare(workload)).hasSize(1);
                String process = node.processId();
                int before = node.registrations();

                tray.blockParameters();
                node.awaitStatus("channel major unknown");
                node.unprepare(workload);
                assertThat(node.processId()).isEqualTo(process);

                machine.succeed("systemctl", "restart", AGENT);
                node.awaitRegistrationAfter(before);
                node.awaitStatus("channel major unknown");
                String second = node.processId();

                tray.unblockParameters();
                assertThat(node.prepare(node.schedule(2))).hasSize(1);
                assertThat(node.processId()).isEqualTo(second);
                assertThat(machine.journal(AGENT)).doesNotContain("Watchdog timeout");
            }
        }
    }

    @Test
    void aDriverThatLoadsAfterTheAgentIsPickedUp() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray tray = Tray.in(machine, "NVIDIA").gb200();
            try (HostNode node = HostNode.of(machine)) {
                assertThat(machine.boot()).isEqualTo("running");
                node.awaitStatus("no driver");
                assertThat(node.publishedDevices()).isZero();
                String process = node.processId();

                tray.load(TrayPreset.GB200);

                node.awaitStatus("GB200");
                machine.await("the device to be published", () -> node.publishedDevices() == 1);
                assertThat(node.prepare(node.schedule(1))).hasSize(1);
                assertThat(node.processId()).isEqualTo(process);
                // There is no driver behind the nodes: what the unit lets through ends with ENXIO, the rest with EPERM.
                assertThat(opened(machine, "/dev/nvidiactl")).contains("No such device or address");
                machine.succeed("mknod", "/dev/other", "c", "10", "232");
                assertThat(opened(machine, "/dev/other")).contains("Operation not permitted");
            }
        }
    }

    /** What a process with the unit's access to devices is told that opens one. */
    private static String opened(SystemdMachine machine, String device) throws IOException, InterruptedException {
        String group = "/sys/fs/cgroup$(systemctl show --property ControlGroup --value " + AGENT + ")";
        return machine.shell("echo $$ >" + group + "/cgroup.procs && cat " + device)
                .output();
    }

    @Test
    void theUnitIsHardened() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            machine.boot();

            String verdict = machine.run("systemd-analyze", "security", "--no-pager", "--threshold=25", AGENT)
                    .output();
            assertThat(machine.run("systemd-analyze", "security", "--no-pager", "--threshold=25", AGENT)
                            .exitCode())
                    .as(verdict)
                    .isZero();
            for (String unit : List.of(AGENT, CONTROLLER)) {
                assertThat(machine.run("systemd-analyze", "verify", "--man=no", unit)
                                .output())
                        .as(unit)
                        .doesNotContain("imex-agent.service:")
                        .doesNotContain("imex-controller.service:");
            }
        }
    }

    /** Each wall is tried by a program in the same namespaces as the service's process. */
    @Test
    void theSandboxesHoldAndTheServicesWorkInThem() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            try (HostNode node = HostNode.of(machine)) {
                String kubeconfig = node.controllersKubeconfig();
                node.configure("info", "controller:\n  kubeconfig: " + kubeconfig + "\n");
                machine.boot();
                machine.succeed("chown", "imex-controller:", kubeconfig);
                machine.succeed("systemctl", "start", CONTROLLER);
                // A fresh node: the kubelet comes after the agent.
                machine.write("/var/lib/kubelet/pods/one/token", "secret");

                Workload workload = node.schedule(1);
                assertThat(node.prepare(workload)).hasSize(1);
                assertThat(machine.succeed("stat", "--format", "%a %U", spec(workload)))
                        .isEqualTo("644 root");
                machine.await(
                        "the controller to lead",
                        () -> machine.journal(CONTROLLER).contains("leading"));

                for (String unit : List.of(AGENT, CONTROLLER)) {
                    String process = machine.property(unit, "MainPID");
                    assertThat(machine.property(unit, "MemoryMax")).as(unit).isEqualTo("536870912");
                    assertThat(machine.property(unit, "TasksMax")).as(unit).isEqualTo("256");
                    assertThat(machine.succeed("cat", "/proc/" + process + "/limits"))
                            .as(unit)
                            .containsPattern("Max core file size +0 +0 ");
                    assertThat(machine.succeed("cat", "/proc/" + process + "/status"))
                            .as(unit)
                            .contains("Umask:\t0077", "CapEff:\t0000000000000000");
                    assertThat(machine.succeed("readlink", "/proc/" + process + "/ns/ipc"))
                            .as(unit)
                            .isNotEqualTo(machine.succeed("readlink", "/proc/1/ns/ipc"));
                    String inside = "nsenter --mount --target " + process + " -- ";
                    assertThat(machine.shell(inside + "cat /var/lib/kubelet/pods/one/token")
                                    .exitCode())
                            .as(unit)
                            .isNotZero();
                    List<String> writable = unit.equals(AGENT)
                            ? List.of(
                                    "/tmp",
                                    "/var/tmp",
                                    "/dev/shm",
                                    "/var/lib/kubelet",
                                    "/run/cdi",
                                    "/run/imex-agent",
                                    "/var/lib/imex-agent")
                            : List.of("/tmp", "/var/tmp", "/dev/shm");
                    for (String place : writable) {
                        String tool = place + "/tool";
                        machine.succeed("sh", "-c", inside + "cp /bin/true " + tool);
                        Commands.Result run = machine.shell(inside + tool);
                        assertThat(run.exitCode())
                                .as("%s runs a file of %s: %s", unit, place, run.output())
                                .isNotZero();
                        assertThat(run.output()).as("%s in %s", unit, place).contains("Permission denied");
                    }
                    assertThat(machine.shell(inside + "/usr/bin/true").exitCode())
                            .as(unit)
                            .isZero();
                }
            }
        }
    }

    @Test
    void asInstalledItObservesAndOpensNoSocket() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);

            assertThat(machine.boot()).as(machine.console()).isEqualTo("running");

            assertThat(machine.property(AGENT, "ActiveState")).isEqualTo("active");
            assertThat(machine.property(AGENT, "StatusText")).contains("GB200").contains("observing only");
            assertThat(machine.shell("find /var/lib/kubelet /run/cdi -type s -o -type f")
                            .output())
                    .isEmpty();
        }
    }

    @Test
    void servesWhereNothingCanBeUnpackedAndRun() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            machine.write("/etc/systemd/system/imex-agent.service.d/test.conf", """
                    [Service]
                    Environment=LD_DEBUG=files LD_DEBUG_OUTPUT=/var/lib/imex-agent/loaded
                    TemporaryFileSystem=/tmp:noexec /var/tmp:noexec
                    PrivateTmp=no
                    """);
            try (HostNode node = HostNode.of(machine)) {
                assertThat(machine.boot()).as(machine.console()).isEqualTo("running");
                assertThat(node.prepare(node.schedule(1))).hasSize(1);

                assertThat(machine.succeed("grep", " /tmp ", "/proc/" + node.processId() + "/mounts"))
                        .contains("noexec");
                String loaded =
                        machine.shell("cat /var/lib/imex-agent/loaded.*").output();
                assertThat(loaded)
                        .contains(
                                "calling init: /usr/lib64/imex-agent/native/libjnidispatch.so",
                                "calling init: /usr/lib64/imex-agent/native/libnetty_transport_native_epoll_")
                        .doesNotContain("calling init: /tmp/", "calling init: /root/");
                assertThat(loaded.contains("calling init: /usr/lib64/imex-agent/native/libjffi-1.2.so"))
                        .as("loads jffi, which a package with a native image lacks")
                        .isEqualTo(machine.succeed("ls", "/usr/lib64/imex-agent/native")
                                .contains("libjffi"));
            }
        }
    }

    private static String spec(Workload workload) {
        return "/run/cdi/k8s.compute-domain.nvidia.com-claim_"
                + workload.claim().uid() + ".yaml";
    }
}
