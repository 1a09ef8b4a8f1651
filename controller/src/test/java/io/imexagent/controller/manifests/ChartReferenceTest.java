package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.manifests.Manifests.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The templates of the chart are the manifests, each with the condition under which Helm wants it. */
class ChartReferenceTest {

    /** Gates as Helm may get them: booleans, or texts by {@code --set-string}, where "false" is false. */
    private static final String VARIABLES = """
            {{- $hostManaged := eq (toString .Values.featureGates.HostManagedIMEX) "true" }}
            {{- $isolating := and $hostManaged (eq .Values.imex.isolation "IMEXChannel") }}
            """;

    /** What only the chart has: what runs in the cluster, and what that is made of. */
    private static final Set<String> OF_THE_CHART = Set.of(
            "_helpers.tpl",
            "NOTES.txt",
            "agent.yaml",
            "controller.yaml",
            "controller-network.yaml",
            "helm-test.yaml",
            "monitoring.yaml",
            "moved.yaml");

    private static final String LABELS = """

            metadata:
              labels:
                {{- include "imex-agent.labels" . | nindent 4 }}
            """;

    /** Of the account that the agents' pods use in the place of the chart's own. */
    private static final String ANNOTATIONS = """
              {{- with .Values.agent.daemonSet.serviceAccountAnnotations }}
              annotations:
                {{- toYaml . | nindent 4 }}
              {{- end }}
            automountServiceAccountToken: false
            """;

    private static String template(Manifest manifest) {
        String body = manifest.text(
                        "{{ include \"imex-agent.namespace\" . }}", "{{ include \"imex-agent.controllerUser\" . }}")
                .replace("\nmetadata:\n", LABELS);
        if (manifest == Manifest.RBAC_CLAIM_STATUS) {
            body = body.replace("automountServiceAccountToken: false\n", ANNOTATIONS);
        }
        String condition = condition(manifest);
        if (condition.isEmpty()) {
            return body;
        }
        return (condition.contains("$") ? VARIABLES : "") + "{{- if " + condition + " }}\n" + body + "{{- end }}\n";
    }

    /** {@code kubectl apply} takes over what is there; Helm refuses what is not its release's, so it can be told. */
    private static String condition(Manifest manifest) {
        return switch (manifest) {
            case NAMESPACE -> "and .Values.createNamespace .Values.namespace (ne .Values.namespace .Release.Namespace)";
            case COMPUTEDOMAINS_CRD -> ".Values.crd.install";
            case DEVICECLASS_DEFAULT_CHANNEL, RBAC_DOCUMENTS -> "";
            case DEVICECLASS_CHANNEL -> "$isolating";
            case DEVICECLASS_DAEMON -> "not $hostManaged";
            case RBAC_DAEMON -> "and (not $hostManaged) .Values.driverManaged.rbac";
            case DEVICECLASS_RDMA_RAIL, DEVICECLASS_RDMA_ALL_RAILS -> ".Values.rdma.enabled";
            case NVLINKNODES_CRD,
                    NVLINKCLIQUES_CRD,
                    FABRICTESTS_CRD,
                    CLIQUEPLACEMENTS_CRD,
                    ADMISSION_NVLINKNODES,
                    ADMISSION_NVLINKCLIQUES,
                    ADMISSION_COMPUTEDOMAIN_STATUS,
                    RBAC_AGENT,
                    RBAC_CONTROLLER -> "$hostManaged";
            case ADMISSION_PLACEMENT ->
                "and $hostManaged .Values.placement.policy (semverCompare \">=1.36.0-0\" .Capabilities.KubeVersion.Version)";
            case ADMISSION_CLAIM_STATUS, RBAC_CLAIM_STATUS -> ".Values.claimStatus.enabled";
            case RBAC_FABRIC_TEST -> "and $hostManaged .Values.fabricTest.roles";
            case ADMISSION_CLAIMS, ADMISSION_TEMPLATES -> "and $hostManaged .Values.admission.enabled";
            case ADMISSION_SLICES -> "and (or $hostManaged .Values.rdma.enabled) .Values.admission.enabled";
        };
    }

    @Test
    void everyAccountOfTheAgentsIsNamedForOpenShift() throws IOException {
        String agents = Files.readString(Cluster.checkout().resolve("packaging/kubernetes/chart/templates/agent.yaml"));
        String account = agents.lines()
                .filter(line -> line.strip().startsWith("serviceAccountName:"))
                .findFirst()
                .orElseThrow();
        List<String> accounts = Pattern.compile("\"(imex-[a-z-]+)\"")
                .matcher(account)
                .results()
                .map(found -> "-z " + found.group(1))
                .toList();

        assertThat(accounts).hasSize(2);
        assertThat(Files.readString(Cluster.checkout().resolve("packaging/kubernetes/chart/README.md")))
                .contains(accounts);
    }

    @Test
    void theCheckedInTemplatesAreMadeFromTheManifests() throws IOException {
        Path folder = Cluster.checkout().resolve("packaging/kubernetes/chart/templates");
        Map<String, String> templates =
                Stream.of(Manifest.values()).collect(Collectors.toMap(Manifest::file, ChartReferenceTest::template));
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.createDirectories(folder);
            for (Map.Entry<String, String> template : templates.entrySet()) {
                Files.writeString(folder.resolve(template.getKey()), template.getValue());
            }
        }

        try (Stream<Path> files = Files.list(folder)) {
            Set<String> expected = new HashSet<>(OF_THE_CHART);
            expected.addAll(templates.keySet());
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(expected);
        }
        templates.forEach((name, text) -> assertThat(folder.resolve(name))
                .as("the chart is made from the manifests; write it anew with: make docs")
                .hasContent(text));
    }
}
