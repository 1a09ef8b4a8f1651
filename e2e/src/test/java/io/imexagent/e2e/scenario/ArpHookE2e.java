package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The hook that sets up ARP, in a network namespace of the test's own, with a container's state made by hand. */
class ArpHookE2e {

    private static final Path HOOK = Path.of("packaging/hooks/rail-arp-hook");
    private static final String STRICT = "2 1 1 1";
    private static final String LAX = "0 0 0 0";

    @Test
    void theInterfacesOfTheContainerAnswerForThemselvesAloneAndNobodyElsesChange() throws Exception {
        try (Namespace container = Namespace.open()) {
            Result ran = hook(container.state(), "rdma0", "rdma1");

            assertThat(ran).isEqualTo(new Result(0, ""));
            assertThat(container.arp("rdma0")).isEqualTo(STRICT);
            assertThat(container.arp("rdma1")).isEqualTo(STRICT);
            assertThat(container.arp("peer0")).isEqualTo(LAX);
        }
    }

    @Test
    void anInterfaceThatDidNotArriveFailsTheContainerByItsName() throws Exception {
        try (Namespace container = Namespace.open()) {
            Result ran = hook(container.state(), "rdma7");

            assertThat(ran.exitCode()).isEqualTo(1);
            assertThat(ran.output()).contains("no interface rdma7 in the container");
        }
    }

    @Test
    void aNameThatIsAPathIsRefused() throws Exception {
        try (Namespace container = Namespace.open()) {
            assertThat(hook(container.state(), "../all").output()).contains("no interface: \"../all\"");
            assertThat(hook(container.state(), "all").output()).contains("no interface: \"all\"");
            assertThat(container.arp("all")).startsWith("0 0 0 ");
        }
    }

    @Test
    void theHostsOwnNamespaceIsNeverTouched() throws Exception {
        long self = ProcessHandle.current().pid();

        Result ran = hook("{\"pid\":" + self + "}", "lo");

        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.output()).contains("shares the host's network namespace");
    }

    @Test
    void aStateWithoutAProcessIsNamed() throws Exception {
        assertThat(hook("{\"status\":\"creating\"}", "rdma0").output()).contains("has no process ID");
        assertThat(hook("", "rdma0").output()).contains("has no process ID");
        assertThat(hook("{\"pid\":99999999}", "rdma0").output()).contains("process 99999999 of the container is gone");
    }

    private static Result hook(String state, String... interfaces) throws IOException, InterruptedException {
        var line = new ArrayList<String>(List.of(HOOK.toString()));
        line.addAll(List.of(interfaces));
        return run(state, line);
    }

    private static Result run(String input, List<String> line) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output;
        try (InputStream out = process.getInputStream()) {
            output = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), output);
    }

    /**
     * How a program ended.
     *
     * @param exitCode its exit code
     * @param output what it wrote on both outputs
     */
    private record Result(int exitCode, String output) {}

    /** A network namespace with interfaces that stand for rails, held by a process as a container's is. */
    private record Namespace(Process holder) implements AutoCloseable {

        static Namespace open() throws IOException {
            Process holder = new ProcessBuilder(
                            "unshare",
                            "--net",
                            "sh",
                            "-c",
                            "ip link add rdma0 type veth peer name peer0 && ip link add rdma1 type veth peer name peer1"
                                    + " && echo ready && exec sleep 60")
                    .redirectErrorStream(true)
                    .start();
            var first = new StringBuilder();
            for (int c = holder.getInputStream().read();
                    c > 0 && c != '\n';
                    c = holder.getInputStream().read()) {
                first.append((char) c);
            }
            assertThat(first.toString()).isEqualTo("ready");
            return new Namespace(holder);
        }

        /** What a runtime tells a hook, with annotations that look like the field that counts. */
        String state() {
            return """
                    {"ociVersion":"1.3.0","id":"rails","status":"creating","pid":%d,"bundle":"/run/rails",
                    "annotations":{"pid":"1","note":"\\"pid\\": 1"}}""".formatted(holder.pid());
        }

        /** arp_announce, arp_ignore, arp_filter and rp_filter of an interface. */
        String arp(String netdev) throws IOException, InterruptedException {
            String folder = "/proc/sys/net/ipv4/conf/" + netdev + "/";
            Result read = run(
                    "",
                    List.of(
                            "nsenter",
                            "--net=/proc/" + holder.pid() + "/ns/net",
                            "cat",
                            folder + "arp_announce",
                            folder + "arp_ignore",
                            folder + "arp_filter",
                            folder + "rp_filter"));
            return String.join(" ", read.output().lines().toList());
        }

        @Override
        public void close() {
            holder.destroyForcibly();
        }
    }
}
