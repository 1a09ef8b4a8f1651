package io.imexagent.controller.manifests;

import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The objects that a cluster needs, as YAML documents for {@code kubectl apply -f -}. */
public final class Manifests {

    private Manifests() {}

    /** All documents, in the order in which they are applied. */
    public static String of(ManifestOptions options) {
        return Arrays.stream(Manifest.values())
                .filter(manifest -> manifest.wanted.test(options))
                .map(manifest -> manifest.text(options.namespace(), options.controllerUser()))
                .collect(Collectors.joining("---\n"));
    }

    /** The manifests, in the order in which they are applied. Each is a resource file with placeholders. */
    enum Manifest {
        NAMESPACE(options -> true),
        COMPUTEDOMAINS_CRD(options -> true),
        NVLINKNODES_CRD(ManifestOptions::hostManaged),
        NVLINKCLIQUES_CRD(ManifestOptions::hostManaged),
        FABRICTESTS_CRD(ManifestOptions::hostManaged),
        CLIQUEPLACEMENTS_CRD(ManifestOptions::hostManaged),
        DEVICECLASS_DEFAULT_CHANNEL(options -> true),
        DEVICECLASS_CHANNEL(options -> options.hostManaged() && options.isolation() == Isolation.IMEX_CHANNEL),
        DEVICECLASS_DAEMON(options -> !options.hostManaged()),
        DEVICECLASS_RDMA_RAIL(ManifestOptions::rdma),
        DEVICECLASS_RDMA_ALL_RAILS(ManifestOptions::rdma),
        RBAC_DAEMON(options -> !options.hostManaged()),
        /* What keeps rights to their owners comes before the rights, and is no choice of the operator's. */
        ADMISSION_NVLINKNODES(ManifestOptions::hostManaged),
        ADMISSION_NVLINKCLIQUES(ManifestOptions::hostManaged),
        ADMISSION_COMPUTEDOMAIN_STATUS(ManifestOptions::hostManaged),
        RBAC_AGENT(ManifestOptions::hostManaged),
        RBAC_CONTROLLER(ManifestOptions::hostManaged),
        RBAC_DOCUMENTS(options -> true),
        RBAC_FABRIC_TEST(options -> options.hostManaged() && options.fabricTest()),
        ADMISSION_PLACEMENT(options -> options.hostManaged() && options.placement()),
        ADMISSION_CLAIM_STATUS(ManifestOptions::claimStatus),
        RBAC_CLAIM_STATUS(ManifestOptions::claimStatus),
        ADMISSION_CLAIMS(options -> options.hostManaged() && options.admission()),
        ADMISSION_TEMPLATES(options -> options.hostManaged() && options.admission()),
        ADMISSION_SLICES(options -> (options.hostManaged() || options.rdma()) && options.admission());

        @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
        private final Predicate<ManifestOptions> wanted;

        Manifest(Predicate<ManifestOptions> wanted) {
            this.wanted = wanted;
        }

        String file() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".yaml";
        }

        String text(String namespace, String controllerUser) {
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
     * The options of the manifests: whether the gate {@code HostManagedIMEX} is on; the isolation; whether to include
     * admission policies; the controllers' namespace and the user of their kubeconfig; {@code rdma.enabled}; whether
     * agents get the rights to {@code status.devices} of claims (Kubernetes 1.36 or later); whether to include the
     * roles of users who run the fabric test; and whether to include the policy that keeps pods in one clique
     * (Kubernetes 1.36 or later).
     */
    public record ManifestOptions(
            boolean hostManaged,
            Isolation isolation,
            boolean admission,
            String namespace,
            String controllerUser,
            boolean rdma,
            boolean claimStatus,
            boolean fabricTest,
            boolean placement) {

        /** The default namespace. */
        public static final String NAMESPACE = "imex-agent";

        /** The default user of the controllers, as {@code kubeadm kubeconfig user --client-name} makes it. */
        public static final String CONTROLLER_USER = "imex-controller";
    }
}
