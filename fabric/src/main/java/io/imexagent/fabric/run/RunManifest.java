package io.imexagent.fabric.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.imexagent.fabric.rank.RankSettings;
import io.imexagent.fabric.run.RunRequest.GpuRequest;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.FabricRuns.RunObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The objects of a run, each a resource file with placeholders. Its pods comply with the Pod Security Standard {@code
 * restricted}, have no token for the API server, and may connect only to each other and to DNS.
 */
public final class RunManifest {

    private static final Pattern PLACEHOLDER = Pattern.compile("(\"?)\\$\\{([a-zA-Z]+)}\\1");

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
        for (RunObject kind : List.of(RunObject.COMPUTE_DOMAIN, RunObject.NETWORK_POLICY, RunObject.SERVICE)) {
            all.put(kind, object(kind, Map.of()));
        }
        all.put(RunObject.SECRET, object(RunObject.SECRET, Map.of("token", token)));
        if (run.gpus() instanceof GpuRequest.GpuClass(String name, int _)) {
            all.put(RunObject.CLAIM_TEMPLATE, object(RunObject.CLAIM_TEMPLATE, Map.of("deviceClass", name)));
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

    ObjectNode job() {
        ObjectNode object = object(RunObject.JOB, Map.of());
        ObjectNode pod = object.withObject("/spec/template/spec");
        run.runtimeClass().ifPresent(name -> pod.put("runtimeClassName", name));
        ArrayNode terms = pod.withObject("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution")
                .withArray("nodeSelectorTerms");
        for (String node : run.nodes()) {
            terms.addObject()
                    .putArray("matchFields")
                    .addObject()
                    .put("key", "metadata.name")
                    .put("operator", "In")
                    .putArray("values")
                    .add(node);
        }
        ObjectNode resources = (ObjectNode) pod.at("/containers/0/resources");
        switch (run.gpus()) {
            case GpuRequest.GpuResource(String name, int count) ->
                resources.withObject("/limits").put(name, Integer.toString(count));
            case GpuRequest.GpuClass _ -> {
                String claim = "gpus";
                resources.withArray("claims").addObject().put("name", claim);
                pod.withArray("resourceClaims")
                        .addObject()
                        .put("name", claim)
                        .put("resourceClaimTemplateName", gpuTemplate());
            }
        }
        return object;
    }

    private String gpuTemplate() {
        return run.name() + "-gpus";
    }

    private ObjectNode object(RunObject kind, Map<String, String> further) {
        ObjectNode object = read(kind, further);
        ObjectNode metadata = object.withObject("/metadata").put("namespace", run.namespace());
        metadata.putObject("labels")
                .put("app.kubernetes.io/name", "imex-fabric-test")
                .put(FabricRuns.RUN_LABEL, run.id())
                .put(FabricRuns.CLIQUE_LABEL, run.clique().text());
        metadata.putObject("annotations")
                .put(FabricRuns.BY, run.by())
                .put(FabricRuns.UNTIL, run.until().toString());
        return object;
    }

    /** Reads the file of this kind. A value is a text, unless it is a number and its placeholder is not in quotes. */
    private ObjectNode read(RunObject kind, Map<String, String> further) {
        Map<String, Object> values = values();
        values.putAll(further);
        String file = kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".yaml";
        try (InputStream in = RunManifest.class.getResourceAsStream(file)) {
            String text = new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
            String filled = PLACEHOLDER.matcher(text).replaceAll(found -> {
                Object value = Objects.requireNonNull(values.get(found.group(2)), found.group());
                boolean number = value instanceof Number && found.group(1).isEmpty();
                return Matcher.quoteReplacement(
                        number
                                ? value.toString()
                                : TextNode.valueOf(value.toString()).toString());
            });
            try (YAMLParser parser = new YAMLFactory().createParser(filled)) {
                return (ObjectNode) JsonTrees.value(parser);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + " out of the program's own jar", e);
        }
    }

    private Map<String, Object> values() {
        return new HashMap<>(Map.ofEntries(
                Map.entry("run", run.id()),
                Map.entry("name", run.name()),
                Map.entry("channelTemplate", run.name() + "-channel"),
                Map.entry("gpuTemplate", gpuTemplate()),
                Map.entry("image", run.image()),
                Map.entry("host", run.name() + "-%." + run.name()),
                Map.entry("level", run.level().word()),
                Map.entry("port", RankSettings.PORT),
                Map.entry("ranks", run.nodes().size()),
                Map.entry("gpus", run.gpus().count()),
                Map.entry("timeout", run.timeout().toSeconds()),
                Map.entry("gather", run.gather().toSeconds())));
    }
}
