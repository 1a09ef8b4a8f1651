package io.imexagent.fabric.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.fabric.rank.RankSettings;
import io.imexagent.fabric.rank.RankSettings.RankVariable;
import io.imexagent.fabric.run.RunRequest.GpuRequest;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.FabricRuns.RunObject;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The objects of a run. Its pods comply with the Pod Security Standard {@code restricted}, have no token for the API
 * server, and may connect only to each other and to DNS.
 */
public final class RunManifest {

    /** The container whose termination message is the rank's row. */
    static final String CONTAINER = "rank";

    /** The folder of the token's file in a pod. */
    private static final String TOKEN_FOLDER = "/etc/imex-fabric-test";

    private static final String TOKEN = "token";
    private static final String CHANNEL = "channel";
    private static final String GPUS = "gpus";
    private static final int USER = 65532;

    /**
     * The seconds after which a finished Job and the objects that it owns are deleted if the command did not delete
     * them.
     */
    private static final int KEPT_SECONDS = 600;

    private final RunRequest run;

    public RunManifest(RunRequest run) {
        this.run = run;
    }

    /** Returns all objects, with this token. */
    public List<ObjectNode> objects(String token) {
        return Stream.concat(owned(token).values().stream(), Stream.of(job())).toList();
    }

    /** Returns all objects except the Job, which is their owner. */
    Map<RunObject, ObjectNode> owned(String token) {
        Map<RunObject, ObjectNode> all = new EnumMap<>(RunObject.class);
        all.put(RunObject.COMPUTE_DOMAIN, computeDomain());
        all.put(RunObject.NETWORK_POLICY, networkPolicy());
        all.put(RunObject.SERVICE, service());
        all.put(RunObject.SECRET, secret(token));
        if (run.gpus() instanceof GpuRequest.GpuClass(String name, int count)) {
            all.put(RunObject.CLAIM_TEMPLATE, claimTemplate(name, count));
        }
        return all;
    }

    /**
     * Makes the Job of this UID the owner of an object, so that the object is deleted with the Job, and returns the
     * object.
     */
    ObjectNode owned(ObjectNode object, String job) {
        object.withObject("/metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "batch/v1")
                .put("kind", RunObject.JOB.kind())
                .put("name", run.name())
                .put("uid", job);
        return object;
    }

    private ObjectNode object(String version, RunObject kind, String name) {
        ObjectNode object = JsonTrees.object().put("apiVersion", version).put("kind", kind.kind());
        ObjectNode metadata = object.putObject("metadata").put("name", name).put("namespace", run.namespace());
        metadata.putObject("labels")
                .put("app.kubernetes.io/name", "imex-fabric-test")
                .put(FabricRuns.RUN_LABEL, run.id())
                .put(FabricRuns.CLIQUE_LABEL, run.clique().text());
        metadata.putObject("annotations")
                .put(FabricRuns.BY, run.by())
                .put(FabricRuns.UNTIL, run.until().toString());
        return object;
    }

    private ObjectNode computeDomain() {
        ObjectNode object = object(DriverNames.API_VERSION, RunObject.COMPUTE_DOMAIN, run.name());
        object.putObject("spec")
                .put("numNodes", 0)
                .putObject("channel")
                .put("allocationMode", "Single")
                .putObject("resourceClaimTemplate")
                .put("name", channelTemplate());
        return object;
    }

    private String channelTemplate() {
        return run.name() + "-channel";
    }

    private String gpuTemplate() {
        return run.name() + "-gpus";
    }

    private ObjectNode claimTemplate(String deviceClass, int count) {
        ObjectNode object = object("resource.k8s.io/v1", RunObject.CLAIM_TEMPLATE, gpuTemplate());
        object.putObject("spec")
                .putObject("spec")
                .putObject("devices")
                .putArray("requests")
                .addObject()
                .put("name", GPUS)
                .putObject("exactly")
                .put("deviceClassName", deviceClass)
                .put("allocationMode", "ExactCount")
                .put("count", count);
        return object;
    }

    private ObjectNode service() {
        ObjectNode object = object("v1", RunObject.SERVICE, run.name());
        ObjectNode spec = object.putObject("spec").put("clusterIP", "None").put("publishNotReadyAddresses", true);
        selected(spec.putObject("selector"));
        spec.putArray("ports")
                .addObject()
                .put("name", "handles")
                .put("port", RankSettings.PORT)
                .put("protocol", "TCP");
        return object;
    }

    private void selected(ObjectNode labels) {
        labels.put(FabricRuns.RUN_LABEL, run.id());
    }

    private ObjectNode networkPolicy() {
        ObjectNode object = object("networking.k8s.io/v1", RunObject.NETWORK_POLICY, run.name());
        ObjectNode spec = object.putObject("spec");
        selected(spec.putObject("podSelector").putObject("matchLabels"));
        spec.putArray("policyTypes").add("Ingress").add("Egress");
        ObjectNode ingress = spec.putArray("ingress").addObject();
        selected(ingress.putArray("from").addObject().putObject("podSelector").putObject("matchLabels"));
        port(ingress.putArray("ports"), "TCP", RankSettings.PORT);
        ArrayNode egress = spec.putArray("egress");
        ObjectNode peers = egress.addObject();
        selected(peers.putArray("to").addObject().putObject("podSelector").putObject("matchLabels"));
        port(peers.putArray("ports"), "TCP", RankSettings.PORT);
        ArrayNode names = egress.addObject().putArray("ports");
        port(names, "UDP", 53);
        port(names, "TCP", 53);
        return object;
    }

    private static void port(ArrayNode ports, String protocol, int number) {
        ports.addObject().put("protocol", protocol).put("port", number);
    }

    private ObjectNode secret(String token) {
        ObjectNode object = object("v1", RunObject.SECRET, run.name());
        object.put("immutable", true).putObject("stringData").put(TOKEN, token);
        return object;
    }

    ObjectNode job() {
        int ranks = run.nodes().size();
        ObjectNode object = object("batch/v1", RunObject.JOB, run.name());
        ObjectNode spec = object.putObject("spec")
                .put("completionMode", "Indexed")
                .put("completions", ranks)
                .put("parallelism", ranks)
                // A failed rank is not started again, and does not end the others.
                .put("backoffLimitPerIndex", 0)
                .put("activeDeadlineSeconds", run.timeout().toSeconds())
                .put("ttlSecondsAfterFinished", KEPT_SECONDS);
        ObjectNode template = spec.putObject("template");
        ObjectNode metadata = template.putObject("metadata");
        ObjectNode labels = metadata.putObject("labels").put("app.kubernetes.io/name", "imex-fabric-test");
        selected(labels);
        // The proxy of a service mesh would intercept the connections between ranks.
        metadata.putObject("annotations")
                .put("sidecar.istio.io/inject", "false")
                .put("linkerd.io/inject", "disabled");
        ObjectNode pod = template.putObject("spec")
                .put("restartPolicy", "Never")
                .put("subdomain", run.name())
                .put("automountServiceAccountToken", false)
                .put("enableServiceLinks", false)
                .put("terminationGracePeriodSeconds", 5);
        run.runtimeClass().ifPresent(name -> pod.put("runtimeClassName", name));
        pod.putObject("securityContext")
                .put("runAsNonRoot", true)
                .put("runAsUser", USER)
                .put("runAsGroup", USER)
                .put("fsGroup", USER)
                .putObject("seccompProfile")
                .put("type", "RuntimeDefault");
        place(pod);
        ArrayNode claims = pod.putArray("resourceClaims");
        claims.addObject().put("name", CHANNEL).put("resourceClaimTemplateName", channelTemplate());
        if (run.gpus() instanceof GpuRequest.GpuClass) {
            claims.addObject().put("name", GPUS).put("resourceClaimTemplateName", gpuTemplate());
        }
        pod.putArray("volumes")
                .addObject()
                .put("name", TOKEN)
                .putObject("secret")
                .put("secretName", run.name())
                .put("defaultMode", 0440);
        container(pod.putArray("containers").addObject());
        return object;
    }

    /** Places one pod on each node of the run, by the nodes' names instead of their labels, which may be missing. */
    private void place(ObjectNode pod) {
        ObjectNode affinity = pod.putObject("affinity");
        ArrayNode terms = affinity.putObject("nodeAffinity")
                .putObject("requiredDuringSchedulingIgnoredDuringExecution")
                .putArray("nodeSelectorTerms");
        for (String node : run.nodes()) {
            terms.addObject()
                    .putArray("matchFields")
                    .addObject()
                    .put("key", "metadata.name")
                    .put("operator", "In")
                    .putArray("values")
                    .add(node);
        }
        ObjectNode apart = affinity.putObject("podAntiAffinity")
                .putArray("requiredDuringSchedulingIgnoredDuringExecution")
                .addObject()
                .put("topologyKey", "kubernetes.io/hostname");
        selected(apart.putObject("labelSelector").putObject("matchLabels"));
        pod.putArray("tolerations").addObject().put("key", "nvidia.com/gpu").put("operator", "Exists");
    }

    private void container(ObjectNode container) {
        container
                .put("name", CONTAINER)
                .put("image", run.image())
                // The log explains why a rank could not start.
                .put("terminationMessagePolicy", "FallbackToLogsOnError");
        container.putArray("args").add("fabric").add("rank");
        ArrayNode environment = container.putArray("env");
        variable(environment, RankVariable.FABRIC_TEST_RUN, run.id());
        variable(
                environment,
                RankVariable.FABRIC_TEST_RANKS,
                Integer.toString(run.nodes().size()));
        variable(environment, RankVariable.FABRIC_TEST_HOST, run.name() + "-%." + run.name());
        variable(environment, RankVariable.FABRIC_TEST_LEVEL, run.level().word());
        variable(
                environment,
                RankVariable.FABRIC_TEST_GPUS,
                Integer.toString(run.gpus().count()));
        variable(
                environment,
                RankVariable.FABRIC_TEST_GATHER_SECONDS,
                Long.toString(run.gather().toSeconds()));
        variable(environment, RankVariable.FABRIC_TEST_TOKEN_FILE, TOKEN_FOLDER + "/" + TOKEN);
        // Without this variable some runtimes inject no libcuda.
        environment.addObject().put("name", "NVIDIA_DRIVER_CAPABILITIES").put("value", "compute,utility");
        container
                .putArray("ports")
                .addObject()
                .put("name", "handles")
                .put("containerPort", RankSettings.PORT)
                .put("protocol", "TCP");
        container
                .putArray("volumeMounts")
                .addObject()
                .put("name", TOKEN)
                .put("mountPath", TOKEN_FOLDER)
                .put("readOnly", true);
        ObjectNode resources = container.putObject("resources");
        ObjectNode limits = resources.putObject("limits").put("memory", "512Mi");
        resources.putObject("requests").put("cpu", "100m").put("memory", "512Mi");
        ArrayNode claims = resources.putArray("claims");
        claims.addObject().put("name", CHANNEL);
        switch (run.gpus()) {
            case GpuRequest.GpuResource(String name, int count) -> limits.put(name, Integer.toString(count));
            case GpuRequest.GpuClass _ -> claims.addObject().put("name", GPUS);
        }
        ObjectNode security = container
                .putObject("securityContext")
                .put("allowPrivilegeEscalation", false)
                .put("readOnlyRootFilesystem", true);
        security.putObject("capabilities").putArray("drop").add("ALL");
    }

    private static void variable(ArrayNode environment, RankVariable variable, String value) {
        environment.addObject().put("name", variable.name()).put("value", value);
    }
}
