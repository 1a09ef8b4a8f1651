package io.imexagent.controller.manifests;

import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The objects that a cluster needs, as YAML documents for {@code kubectl apply -f -}, and as the templates of a chart. */
public final class Manifests {

    private Manifests() {}

    /** All documents, in the order in which they are applied. */
    public static String of(ManifestOptions options) {
        return Arrays.stream(Manifest.values())
                .filter(manifest -> manifest.wanted(options))
                .map(manifest -> manifest.text(options))
                .collect(Collectors.joining("---\n"));
    }

    /** The files of the Helm chart's folder {@code templates}, by name. */
    public static Map<String, String> helmTemplates() {
        Map<String, String> templates = new LinkedHashMap<>();
        for (Manifest manifest : Manifest.values()) {
            templates.put(manifest.file(), manifest.helm());
        }
        return templates;
    }

    /** The manifests, in the order in which they are applied. Each is a resource file with places to fill in. */
    private enum Manifest {
        NAMESPACE(When.NAMESPACE),
        COMPUTEDOMAINS_CRD(When.CRD),
        NVLINKNODES_CRD(When.HOST_MANAGED),
        NVLINKCLIQUES_CRD(When.HOST_MANAGED),
        DEVICECLASS_DEFAULT_CHANNEL(When.ALWAYS),
        DEVICECLASS_CHANNEL(When.ISOLATING),
        DEVICECLASS_DAEMON(When.DRIVER_MANAGED),
        DEVICECLASS_RDMA_RAIL(When.RDMA),
        DEVICECLASS_RDMA_ALL_RAILS(When.RDMA),
        RBAC_DAEMON(When.DRIVER_MANAGED),
        /* What keeps rights to their owners comes before the rights, and is no choice of the operator's. */
        ADMISSION_NVLINKNODES(When.HOST_MANAGED),
        ADMISSION_NVLINKCLIQUES(When.HOST_MANAGED),
        ADMISSION_COMPUTEDOMAIN_STATUS(When.HOST_MANAGED),
        RBAC_AGENT(When.HOST_MANAGED),
        RBAC_CONTROLLER(When.HOST_MANAGED),
        RBAC_DOCUMENTS(When.ALWAYS),
        ADMISSION_CLAIMS(When.ADMISSION),
        ADMISSION_TEMPLATES(When.ADMISSION),
        ADMISSION_SLICES(When.ADMISSION_PUBLISHING);

        /** When a manifest is wanted; said once for Java and once for Helm, and the tests compare what comes of it. */
        private enum When {
            ALWAYS(options -> true, ""),
            /** {@code kubectl apply} takes over what is there; Helm refuses what is not its release's, so it can be told. */
            NAMESPACE(options -> true, ".Values.createNamespace"),
            CRD(options -> true, ".Values.crd.install"),
            HOST_MANAGED(ManifestOptions::hostManaged, "$hostManaged"),
            DRIVER_MANAGED(options -> !options.hostManaged(), "not $hostManaged"),
            ISOLATING(ManifestOptions::isolating, "$isolating"),
            RDMA(ManifestOptions::rdma, ".Values.rdma.enabled"),
            ADMISSION(
                    options -> options.hostManaged() && options.admission(),
                    "and $hostManaged .Values.admission.enabled"),
            ADMISSION_PUBLISHING(
                    options -> (options.hostManaged() || options.rdma()) && options.admission(),
                    "and (or $hostManaged .Values.rdma.enabled) .Values.admission.enabled");

            @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
            private final Predicate<ManifestOptions> holds;

            private final String helm;

            When(Predicate<ManifestOptions> holds, String helm) {
                this.holds = holds;
                this.helm = helm;
            }
        }

        /** Gates as Helm may get them: booleans, or texts by {@code --set-string}, where "false" is false. */
        private static final String HELM_VARIABLES = """
            {{- $hostManaged := eq (toString .Values.featureGates.HostManagedIMEX) "true" }}
            {{- $isolating := and $hostManaged (eq .Values.imex.isolation "IMEXChannel") }}
            """;

        private final When when;

        Manifest(When when) {
            this.when = when;
        }

        String file() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".yaml";
        }

        boolean wanted(ManifestOptions options) {
            return when.holds.test(options);
        }

        String text(ManifestOptions options) {
            return filled(options.namespace(), options.controllerUser());
        }

        String helm() {
            String body = filled("{{ .Values.namespace }}", "{{ .Values.controller.user }}");
            if (when.helm.isEmpty()) {
                return body;
            }
            String variables = when.helm.contains("$") ? HELM_VARIABLES : "";
            return variables + "{{- if " + when.helm + " }}\n" + body + "{{- end }}\n";
        }

        private String filled(String namespace, String controllerUser) {
            return resource().replace("${namespace}", namespace).replace("${controllerUser}", controllerUser);
        }

        private String resource() {
            try (InputStream in = Manifest.class.getResourceAsStream(file())) {
                return new String(Objects.requireNonNull(in, file()).readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + file() + " out of the program's own jar", e);
            }
        }
    }

    /**
     * What the manifests are for: whether the gate {@code HostManagedIMEX} is on, the isolation, whether the admission
     * policies are wanted, the controllers' namespace and the user of their kubeconfig, and {@code rdma.enabled}.
     */
    public record ManifestOptions(
            boolean hostManaged,
            Isolation isolation,
            boolean admission,
            String namespace,
            String controllerUser,
            boolean rdma) {

        /** The namespace where none is named. */
        public static final String NAMESPACE = "imex-agent";

        /** The controllers' user where none is named: what {@code kubeadm kubeconfig user --client-name} makes. */
        public static final String CONTROLLER_USER = "imex-controller";

        boolean isolating() {
            return hostManaged && isolation == Isolation.IMEX_CHANNEL;
        }
    }
}
