package io.imexagent.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The example with two trays: its script, run as two processes on loopback, and the channels that two agents of one clique
 * give to its pods.
 */
@ExtendWith(Worlds.class)
class TwoTraysIT {

    private static final String CHANNELS = "/dev/nvidia-caps-imex-channels";

    @TempDir
    Path folder;

    private final JsonNode service;
    private final JsonNode job;
    private final int port;

    TwoTraysIT() throws IOException {
        List<JsonNode> objects = new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(IsolatedCluster.example("two-trays.yaml").toFile())
                .readAll();
        this.service = objects.get(1);
        this.job = objects.get(2);
        try (var free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
        }
    }

    @BeforeEach
    void anNcThatIsThereOnEveryMachine() throws IOException, URISyntaxException {
        Path classes = Path.of(NetcatStandIn.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path nc = Files.writeString(
                Files.createDirectory(folder.resolve("bin")).resolve("nc"),
                "#!/bin/sh\nexec '%s' -XX:TieredStopAtLevel=1 -cp '%s' %s \"$@\"\n"
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                classes,
                                NetcatStandIn.class.getName()));
        Files.setPosixFilePermissions(nc, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void podsOfOneChannelBothSucceedAndNameBothTrays() throws Exception {
        Pod first = pod(0, 60, "channel7");
        Pod second = pod(1, 60, "channel7");

        assertThat(first.ended()).as(first.output()).isZero();
        assertThat(second.ended()).as(second.output()).isZero();
        assertThat(first.output()).endsWith("same channel: channel7 on tray-0 and on tray-1\n");
        assertThat(second.output()).endsWith("same channel: channel7 on tray-1 and on tray-0\n");
    }

    @Test
    void twoAgentsOfOneCliqueGiveBothPodsTheSameChannelAndTheScriptAgrees(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            String before = cluster.create("before");
            cluster.apply("two-trays.yaml");
            String domain = cluster.domain("two-trays").at("/metadata/uid").asText();
            World other = world.other("other-node").with("imex.isolation", "IMEXChannel");
            AgentProcess here = cluster.startAgent();
            AgentProcess there = other.startRegistered(other.launch());
            world.awaitPrepared(here, cluster.schedule(World.NODE, "before", before));
            KubeletClaimRequest zero = cluster.schedule(World.NODE, "two-trays-0", domain);
            KubeletClaimRequest one = cluster.schedule("other-node", "two-trays-1", domain);
            world.awaitPrepared(here, zero);
            other.awaitPrepared(there, one);

            Pod first = pod(0, 60, channel(world, zero));
            Pod second = pod(1, 60, channel(other, one));

            assertThat(channel(world, zero)).isEqualTo("channel2");
            assertThat(first.ended()).as(first.output()).isZero();
            assertThat(second.ended()).as(second.output()).isZero();
        }
    }

    /** The name of the device node that a claim's container gets. */
    private static String channel(World world, KubeletClaimRequest claim) throws IOException {
        String spec = Files.readString(world.host().cdiFiles(claim.uid()).getFirst());
        Matcher node = Pattern.compile(CHANNELS + "/(channel[0-9]+)\"").matcher(spec);
        assertThat(node.find()).as(spec).isTrue();
        return node.group(1);
    }

    @Test
    void podsOfDifferentChannelsBothFailAndNameBoth() throws Exception {
        Pod first = pod(0, 60, "channel1");
        Pod second = pod(1, 60, "channel10");

        assertThat(first.ended()).as(first.output()).isOne();
        assertThat(second.ended()).as(second.output()).isOne();
        assertThat(first.output()).contains("different channels: channel1 on tray-0, channel10 on tray-1");
        assertThat(second.output()).contains("different channels: channel10 on tray-1, channel1 on tray-0");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aPodWhoseOtherNeverComesFailsInTimeAndSaysSo(int index) throws Exception {
        Pod alone = pod(index, 3, "channel7");

        assertThat(alone.ended()).as(alone.output()).isOne();
        assertThat(alone.output()).contains("no answer of the other pod in 3 s");
    }

    @Test
    void aPodWithoutAChannelOrWithTwoFailsAtOnce() throws Exception {
        Pod none = pod(0, 60);
        Pod two = pod(1, 60, "channel7", "channel8");

        assertThat(none.ended()).isOne();
        assertThat(none.output()).contains("this pod has 0");
        assertThat(two.ended()).isOne();
        assertThat(two.output()).contains("this pod has 2: channel7 channel8");
    }

    @Test
    void aConnectionThatSaysNothingIsNoAnswer() throws Exception {
        Pod first = pod(0, 60, "channel7");
        while (!touched()) {
            assertThat(first.process.isAlive()).as(first.output()).isTrue();
            Thread.sleep(20);
        }
        Pod second = pod(1, 60, "channel7");

        assertThat(first.ended()).as(first.output()).isZero();
        assertThat(second.ended()).as(second.output()).isZero();
    }

    /** Whether somebody listened, and got a connection that ends without a word. */
    private boolean touched() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException _) {
            return false;
        }
    }

    @Test
    void aSilentConnectionThatStaysOpenDoesNotKeepThePodThatListens() throws Exception {
        Pod first = pod(0, 60, "channel7");
        try (Socket silent = connected(first)) {
            Pod second = pod(1, 60, "channel7");

            assertThat(first.ended()).as(first.output()).isZero();
            assertThat(second.ended()).as(second.output()).isZero();
            assertThat(silent.isClosed()).isFalse();
        }
    }

    @Test
    void aSilentConnectionThatStaysOpenDoesNotKeepThePodThatConnects() throws Exception {
        Pod second;
        Socket kept;
        try (var listener = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            second = pod(1, 60, "channel7");
            kept = listener.accept();
        }
        try (Socket silent = kept) {
            Pod first = pod(0, 60, "channel7");

            assertThat(first.ended()).as(first.output()).isZero();
            assertThat(second.ended()).as(second.output()).isZero();
            assertThat(silent.isClosed()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-w 5 127.0.0.1 7373 -e sh", "127.0.0.1 7373 -w 5", "-e sh -w 5 127.0.0.1 7373", "-w 5"})
    void theStandInTakesOptionsOnlyBeforeOperandsAsBusyboxDoesWithAStrictGetopt(String words) throws Exception {
        List<String> command = new ArrayList<>(List.of(folder.resolve("bin/nc").toString()));
        command.addAll(List.of(words.split(" ")));
        Process nc = new ProcessBuilder(command).redirectErrorStream(true).start();

        assertThat(new String(nc.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("usage: nc -l -p PORT -e PROGRAM… | nc -w SECONDS HOST PORT\n");
        assertThat(nc.waitFor()).isOne();
    }

    /** A connection to the pod that listens, once it does. */
    private Socket connected(Pod listening) throws Exception {
        while (true) {
            try {
                return new Socket(InetAddress.getLoopbackAddress(), port);
            } catch (ConnectException _) {
                assertThat(listening.process.isAlive()).as(listening.output()).isTrue();
                Thread.sleep(20);
            }
        }
    }

    /** Starts the script of a pod, on a tray of its own, with channels and a time to wait for the other pod. */
    private Pod pod(int index, int seconds, String... channels) throws IOException {
        Path own = Files.createDirectory(folder.resolve("pod-" + index));
        Path devices = Files.createDirectory(own.resolve("channels"));
        for (String channel : channels) {
            Files.createFile(devices.resolve(channel));
        }
        String service = this.service.at("/metadata/name").asText();
        String where = "first=%s-0.%s port=%s "
                .formatted(
                        job.at("/metadata/name").asText(),
                        service,
                        this.service.at("/spec/ports/0/port").asText());
        String script = job.at("/spec/template/spec/containers/0/command/2").asText();
        assertThat(job.at("/spec/template/spec/subdomain").asText()).isEqualTo(service);
        assertThat(script).startsWith(where + "seconds=480\n").containsOnlyOnce(CHANNELS);
        var builder = new ProcessBuilder(
                "sh",
                "-c",
                script.replace(where + "seconds=480", "first=127.0.0.1 port=" + port + " seconds=" + seconds)
                        .replace(CHANNELS, devices.toString()));
        builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("JOB_COMPLETION_INDEX", Integer.toString(index));
        builder.environment().put("NODE", "tray-" + index);
        builder.environment().put("TMPDIR", own.toString());
        Path output = own.resolve("output");
        return new Pod(
                builder.redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start(),
                output);
    }

    /** A process that runs the script, and the file of what it prints. */
    private record Pod(Process process, Path file) {

        int ended() throws InterruptedException {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }

        String output() throws IOException {
            return Files.readString(file);
        }
    }
}
