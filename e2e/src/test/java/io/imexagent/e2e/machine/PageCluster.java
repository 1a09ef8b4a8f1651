package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.e2e.controller.BoundRules;
import io.imexagent.e2e.controller.StoredPolicies;
import io.imexagent.e2e.demo.Container;
import io.imexagent.e2e.machine.Commands.Result;
import io.imexagent.e2e.quickstart.KubectlStandIn;
import io.imexagent.e2e.quickstart.Quickstart.Step;
import io.imexagent.e2e.scheduler.SchedulerDouble;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The cluster around the machine, as the commands of docs/quickstart.md reach it. A second tray joins it before a Job runs. */
final class PageCluster implements KubectlStandIn.Cluster, AutoCloseable {

    static final String TOKEN = "imex-controller";

    /** What the command before a pipe writes to standard error, which a terminal shows too. */
    private static final String BEFORE_A_PIPE = "/tmp/before-a-pipe";

    private static final String NAMESPACE = "default";
    private static final String CLIQUE_LABEL = "nvidia.com/gpu.clique";

    final Map<String, String> logs = new HashMap<>();
    private final Path scratch;
    private final SystemdMachine machine;
    private final HostNode node;
    private final KubectlStandIn kubectl = new KubectlStandIn(this);
    private final SchedulerDouble scheduler;
    private Optional<SecondTray> second = Optional.empty();

    PageCluster(Path scratch, SystemdMachine machine, HostNode node) {
        this.scratch = scratch;
        this.machine = machine;
        this.node = node;
        this.scheduler = new SchedulerDouble(node.api());
        node.api()
                .remove(
                        ResourceType.DEVICE_CLASSES,
                        "",
                        Fixtures.deviceClass().at("/metadata/name").asText());
        node.api().acceptToken(TOKEN, new UserIdentity(ManifestOptions.CONTROLLER_USER, Set.of()));
        node.api().admit(new StoredPolicies(node.api()));
    }

    /** Runs a command on the machine; what is for kubectl, at its end or behind a pipe, the stand-in runs. */
    String run(Step step) throws IOException, InterruptedException {
        String command = step.command();
        int at = command.startsWith(KubectlStandIn.NAME) ? 0 : command.indexOf("| " + KubectlStandIn.NAME);
        if (at < 0) {
            return shell(command);
        }
        String input = at == 0 ? "" : shell(command.substring(0, at) + "2>" + BEFORE_A_PIPE);
        String errors = at == 0 ? "" : shell("cat " + BEFORE_A_PIPE);
        if (!input.isEmpty()) {
            grant(input);
        }
        String applied = kubectl.run(
                command.substring(command.indexOf(KubectlStandIn.NAME) + KubectlStandIn.NAME.length()), input);
        return errors.isEmpty() ? applied : errors + "\n" + applied;
    }

    private String shell(String command) throws IOException, InterruptedException {
        Result result = machine.shell("cd /root && " + command);
        assertThat(result.exitCode()).as("%s:%n%s", command, result.output()).isZero();
        return result.output();
    }

    /** The rights in manifests, as an API server would give them. */
    private void grant(String manifests) throws IOException {
        var rules = new BoundRules(manifests);
        rules.of(ManifestOptions.CONTROLLER_USER).forEach(node.api()::grant);
        rules.reviews(ManifestOptions.CONTROLLER_USER)
                .forEach(plural -> node.api().grantReview(ManifestOptions.CONTROLLER_USER, plural));
    }

    @Override
    public boolean apply(JsonNode object) {
        ResourceType type = ResourceType.ofKind(
                        object.path("apiVersion").asText(), object.path("kind").asText())
                .orElseThrow();
        String namespace = object.at("/metadata/namespace").asText(type.namespaced() ? NAMESPACE : "");
        Optional<ObjectNode> before =
                node.api().get(type, namespace, object.at("/metadata/name").asText());
        node.api().apply(object);
        return before.isEmpty();
    }

    @Override
    public void awaitPhase(String pod, String phase) throws IOException, InterruptedException {
        machine.await("the pod " + pod + " to be " + phase, () -> {
            scheduler.pass();
            ObjectNode now = node.api().get(ResourceType.PODS, NAMESPACE, pod).orElseThrow();
            if (now.at("/spec/nodeName").isTextual() && !logs.containsKey(pod)) {
                start(now);
            }
            return node.api()
                    .get(ResourceType.PODS, NAMESPACE, pod)
                    .orElseThrow()
                    .at("/status/phase")
                    .asText()
                    .equals(phase);
        });
    }

    /** What kubelet and container runtime do with a pod of one container that lists its channels. */
    private void start(ObjectNode pod) throws IOException, InterruptedException {
        String name = pod.at("/metadata/name").asText();
        assertThat(pod.at("/spec/containers/0/command"))
                .extracting(JsonNode::asText)
                .containsExactly("ls", "-l", "/dev/nvidia-caps-imex-channels");
        KubeletClaimRequest request = claim(pod);
        List<String> devices = node.prepare(request);
        Path spec = Files.writeString(scratch.resolve(name + ".yaml"), spec(request));
        Container.ContainerResult container = Container.listNode(scratch, List.of(spec), devices.getFirst());
        assertThat(container.ran()).as(container.text()).isTrue();
        logs.put(name, container.text());
        node.unprepare(request);
        node.api().remove(ResourceType.RESOURCE_CLAIMS, NAMESPACE, request.name());
        node.api()
                .edit(
                        ResourceType.PODS,
                        NAMESPACE,
                        name,
                        ended -> ended.withObject("/status").put("phase", "Succeeded"));
    }

    private ObjectNode pod(String name) {
        return node.api().get(ResourceType.PODS, NAMESPACE, name).orElseThrow();
    }

    private KubeletClaimRequest claim(JsonNode pod) {
        String name = SchedulerDouble.claims(pod).getFirst();
        ObjectNode claim =
                node.api().get(ResourceType.RESOURCE_CLAIMS, NAMESPACE, name).orElseThrow();
        return new KubeletClaimRequest(
                NAMESPACE, name, claim.at("/metadata/uid").asText());
    }

    /** The CDI spec of a claim that the machine's agent has prepared. */
    private String spec(KubeletClaimRequest claim) throws IOException, InterruptedException {
        return machine.succeed("cat", "/run/cdi/k8s.compute-domain.nvidia.com-claim_" + claim.uid() + ".yaml");
    }

    @Override
    public void awaitCondition(ResourceType type, String name, String condition)
            throws IOException, InterruptedException {
        if (type == ResourceType.JOBS) {
            run(node.api().get(type, NAMESPACE, name).orElseThrow());
        }
        machine.await(
                type.kind() + " " + name + " to be " + condition,
                () -> node.api()
                        .get(type, NAMESPACE, name)
                        .orElseThrow()
                        .at("/status/conditions")
                        .valueStream()
                        .anyMatch(each -> each.path("type").asText().equals(condition)
                                && each.path("status").asText().equals("True")));
    }

    /** What the controller of Jobs does with an indexed one, and two nodes with its pods: they run at the same time. */
    private void run(ObjectNode job) throws IOException, InterruptedException {
        String name = job.at("/metadata/name").asText();
        List<String> pods = new ArrayList<>();
        for (int index = 0; index < job.at("/spec/completions").asInt(); index++) {
            pods.add(make(job, name + "-" + index, index));
        }
        SecondTray other = SecondTray.start(scratch.resolve("second"), node.api());
        second = Optional.of(other);
        machine.await(
                "the label by which the Job's pods come into one clique",
                () -> node.api().list(ResourceType.NODES).stream()
                                .map(each -> each.at("/metadata/labels")
                                        .path(CLIQUE_LABEL)
                                        .asText())
                                .filter(clique -> !clique.isEmpty())
                                .distinct()
                                .count()
                        == 1);
        machine.await("the pods of the Job to be bound", () -> scheduler.pass().isEmpty());
        Map<String, PodScript> scripts = new LinkedHashMap<>();
        for (String each : pods) {
            ObjectNode pod = pod(each);
            KubeletClaimRequest claim = claim(pod);
            boolean here = pod.at("/spec/nodeName").asText().equals(SystemdMachine.NAME);
            if (here) {
                node.prepare(claim);
            }
            scripts.put(each, PodScript.start(scratch, pod, here ? spec(claim) : other.prepare(claim)));
        }
        for (Map.Entry<String, PodScript> script : scripts.entrySet()) {
            logs.put(script.getKey(), script.getValue().printed());
        }
        node.api()
                .edit(
                        ResourceType.JOBS,
                        NAMESPACE,
                        name,
                        ended -> ended.withObject("/status")
                                .putArray("conditions")
                                .addObject()
                                .put("type", "Complete")
                                .put("status", "True"));
    }

    private String make(ObjectNode job, String name, int index) {
        ObjectNode pod = job.at("/spec/template").deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.withObject("/metadata").put("namespace", NAMESPACE).put("name", name);
        pod.withObject("/metadata/labels").put("batch.kubernetes.io/job-completion-index", Integer.toString(index));
        node.api().apply(pod);
        return name;
    }

    @Override
    public List<String> pods(String key, String value) {
        return node.api().list(ResourceType.PODS).stream()
                .filter(pod -> pod.at("/metadata/labels").path(key).asText().equals(value))
                .map(pod -> pod.at("/metadata/name").asText())
                .sorted()
                .toList();
    }

    @Override
    public String container(String pod) {
        return pod(pod).at("/spec/containers/0/name").asText();
    }

    @Override
    public String file(String path) throws IOException {
        return Files.readString(machine.file(path));
    }

    @Override
    public String logs(String pod) {
        return Optional.ofNullable(logs.get(pod)).orElseThrow(() -> new AssertionError(pod + " did not run"));
    }

    @Override
    public void close() {
        second.ifPresent(SecondTray::close);
    }
}
