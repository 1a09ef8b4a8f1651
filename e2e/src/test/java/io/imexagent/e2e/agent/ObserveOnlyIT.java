package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** With HostManagedIMEX off the agent only looks. */
@ExtendWith(Worlds.class)
class ObserveOnlyIT {

    /** The question whether it may, and what it says of its own node. */
    private static final Set<String> OWN =
            Set.of("create selfsubjectaccessreviews", "create nvlinknodes", "update nvlinknodes");

    @Test
    void writesNothingForTheKubeletOrTheContainerRuntime(World world) throws Exception {
        FakeHost host = world.host();
        Files.createDirectories(host.pluginDirectory());
        Files.writeString(host.checkpoint(), "not a checkpoint");
        Files.writeString(host.pluginDirectory().resolve(".checkpoint.json.0.tmp"), "left over");
        Files.writeString(
                host.cdiDirectory()
                        .resolve("k8s.compute-domain.nvidia.com-claim_7f3c0156-3566-44cf-a6f8-8acd6bcbbf17.yaml"),
                "an orphan");
        Map<Path, String> before = tree(world);

        AgentProcess agent = world.with("featureGates.HostManagedIMEX", "false")
                .without("imex.isolation")
                .start(world.launch());
        agent.awaitTrue("the GPUs", () -> world.metric(agent, "imex_agent_gpus{name=\"NVIDIA GB200\"") == 4);
        host.channelMajor(600);
        agent.awaitTrue("the new major", () -> world.metric(agent, "imex_agent_channel_major") == 600);

        assertThat(tree(world)).isEqualTo(before);
        assertThat(world.slices()).isEmpty();
        agent.awaitTrue(
                "its own NVLinkNode",
                () -> world.api()
                        .get(ResourceType.NVLINK_NODES, "", World.NODE)
                        .filter(node -> node.at("/status/mode").asText().equals("Observing"))
                        .isPresent());
        assertThat(world.api().requests().counts().keySet())
                .noneMatch(request -> request.matches("(create|update|patch|delete) .*") && !OWN.contains(request));
        assertThat(world.get(agent, "/healthz")).startsWith("200");
        assertThat(world.get(agent, "/inventory")).contains("NVIDIA GB200");

        assertThat(agent.terminate()).isZero();
        assertThat(tree(world)).isEqualTo(before);
    }

    @Test
    void directoriesThatAreMissingStayMissing(World world) throws Exception {
        Path kubelet = world.directory().resolve("absent-kubelet");
        Path cdi = world.directory().resolve("absent-cdi");
        Path state = world.directory().resolve("absent-state");
        AgentProcess agent = world.with("featureGates.HostManagedIMEX", "false")
                .without("imex.isolation")
                .with("kubelet.root", kubelet.toString())
                .with("cdi.directory", cdi.toString())
                .with("state.directory", state.toString())
                .start(world.launch());
        agent.awaitTrue("the GPUs", () -> world.metric(agent, "imex_agent_gpus{name=\"NVIDIA GB200\"") == 4);
        agent.hangUp();
        world.host().channelMajor(600);
        agent.awaitTrue("the new major", () -> world.metric(agent, "imex_agent_channel_major") == 600);

        assertThat(world.get(agent, "/healthz")).startsWith("200");
        assertThat(agent.terminate()).isZero();
        assertThat(kubelet).doesNotExist();
        assertThat(cdi).doesNotExist();
        assertThat(state).doesNotExist();
    }

    /** Every file and folder of the kubelet's and the CDI directory, with content, mode and times. */
    private static Map<Path, String> tree(World world) throws IOException {
        Map<Path, String> tree = new TreeMap<>();
        for (Path top : new Path[] {world.host().kubeletRoot(), world.host().cdiDirectory()}) {
            try (Stream<Path> files = Files.walk(top)) {
                for (Path file : files.toList()) {
                    String content = Files.isRegularFile(file) ? Files.readString(file) : "";
                    tree.put(file, Files.readAttributes(file, "unix:mode,ino,lastModifiedTime,ctime") + content);
                }
            }
        }
        return tree;
    }
}
