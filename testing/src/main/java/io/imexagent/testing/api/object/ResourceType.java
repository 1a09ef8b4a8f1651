package io.imexagent.testing.api.object;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A type of object that the double serves. */
public enum ResourceType {
    /** Namespaces; creating an object in one that does not exist is refused. */
    NAMESPACES("v1", "Namespace", false, false),
    NODES("v1", "Node", false, true, "spec.unschedulable"),
    PODS("v1", "Pod", true, true, "spec.nodeName", "status.phase"),
    /** Events of the core group. */
    EVENTS(
            "v1",
            "Event",
            true,
            false,
            "involvedObject.kind",
            "involvedObject.name",
            "involvedObject.namespace",
            "involvedObject.uid",
            "reason",
            "type"),
    RESOURCE_CLAIMS("resource.k8s.io/v1", "ResourceClaim", true, true),
    RESOURCE_CLAIM_TEMPLATES("resource.k8s.io/v1", "ResourceClaimTemplate", true, false),
    RESOURCE_SLICES("resource.k8s.io/v1", "ResourceSlice", false, false, "spec.nodeName", "spec.driver"),
    DEVICE_CLASSES("resource.k8s.io/v1", "DeviceClass", false, false),
    COMPUTE_DOMAINS("resource.nvidia.com/v1beta1", "ComputeDomain", true, true),
    /** What nodes hold: a custom resource. */
    NVLINK_NODES("imexagent.io/v1alpha1", "NVLinkNode", false, false),
    /** Tables of channels: a custom resource. */
    NVLINK_CLIQUES("imexagent.io/v1alpha1", "NVLinkClique", false, false),
    /** Results of the fabric test: a custom resource. */
    FABRIC_TESTS("imexagent.io/v1alpha1", "FabricTest", false, false),
    /** Which pods of a namespace are kept in one clique: a custom resource. */
    CLIQUE_PLACEMENTS("imexagent.io/v1alpha1", "CliquePlacement", true, false),
    LEASES("coordination.k8s.io/v1", "Lease", true, false),
    DAEMON_SETS("apps/v1", "DaemonSet", true, true),
    /* What a run of the fabric test consists of. The double starts no pods of a Job; tests do. */
    JOBS("batch/v1", "Job", true, true),
    SERVICES("v1", "Service", true, true),
    SECRETS("v1", "Secret", true, false),
    NETWORK_POLICIES("networking.k8s.io/v1", "NetworkPolicy", true, false),
    /** Who runs a daemon of the public driver in a clique. Its definition is the public driver's, and not known here. */
    COMPUTE_DOMAIN_CLIQUES("resource.nvidia.com/v1beta1", "ComputeDomainClique", true, false),
    /* What administrators install. The double keeps it and goes by none of it. */
    CUSTOM_RESOURCE_DEFINITIONS("apiextensions.k8s.io/v1", "CustomResourceDefinition", false, false),
    MUTATING_ADMISSION_POLICIES("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", false, false),
    MUTATING_ADMISSION_POLICY_BINDINGS(
            "admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", false, false),
    VALIDATING_ADMISSION_POLICIES("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", false, false),
    VALIDATING_ADMISSION_POLICY_BINDINGS(
            "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", false, false),
    CLUSTER_ROLES("rbac.authorization.k8s.io/v1", "ClusterRole", false, false),
    CLUSTER_ROLE_BINDINGS("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", false, false),
    ROLES("rbac.authorization.k8s.io/v1", "Role", true, false),
    ROLE_BINDINGS("rbac.authorization.k8s.io/v1", "RoleBinding", true, false),
    SERVICE_ACCOUNTS("v1", "ServiceAccount", true, false);

    private static final List<ResourceType> ALL = List.of(values());

    private final String apiVersion;
    private final String kind;
    private final String plural;
    private final boolean namespaced;
    private final boolean statusSubresource;
    private final String selectable;

    ResourceType(String apiVersion, String kind, boolean namespaced, boolean statusSubresource, String... selectable) {
        this.apiVersion = apiVersion;
        this.kind = kind;
        this.plural = plural(kind.toLowerCase(Locale.ROOT));
        this.namespaced = namespaced;
        this.statusSubresource = statusSubresource;
        this.selectable = "," + String.join(",", selectable) + ",";
    }

    private static String plural(String kind) {
        if (kind.endsWith("y")) {
            return kind.substring(0, kind.length() - 1) + "ies";
        }
        return kind + (kind.endsWith("s") ? "es" : "s");
    }

    public static Optional<ResourceType> find(String group, String version, String plural) {
        return ALL.stream()
                .filter(type -> type.plural.equals(plural)
                        && type.group().equals(group)
                        && type.version().equals(version))
                .findFirst();
    }

    public static Optional<ResourceType> ofKind(String apiVersion, String kind) {
        return ALL.stream()
                .filter(type -> type.kind.equals(kind) && type.apiVersion.equals(apiVersion))
                .findFirst();
    }

    public static List<ResourceType> ofGroup(String group) {
        return ALL.stream().filter(type -> type.group().equals(group)).toList();
    }

    /** The API group; empty for the core group. */
    public String group() {
        return apiVersion.substring(0, Math.max(apiVersion.indexOf('/'), 0));
    }

    public String version() {
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }

    /** Group and version as objects carry them. */
    public String apiVersion() {
        return apiVersion;
    }

    /** The name in URLs, also the resource name of RBAC rules. */
    public String plural() {
        return plural;
    }

    public String kind() {
        return kind;
    }

    /** Whether objects live in a namespace. */
    public boolean namespaced() {
        return namespaced;
    }

    /** Whether status is written through {@code /status} only. */
    public boolean hasStatusSubresource() {
        return statusSubresource;
    }

    /** Whether this is a custom resource, whose validation and patch rules differ from those of built-in types. */
    public boolean custom() {
        return switch (this) {
            case COMPUTE_DOMAINS, NVLINK_NODES, NVLINK_CLIQUES, FABRIC_TESTS, CLIQUE_PLACEMENTS -> true;
            default -> false;
        };
    }

    /** Whether objects count changes of their spec in {@code metadata.generation}. */
    boolean hasGeneration() {
        return custom() || this == RESOURCE_SLICES || this == DEVICE_CLASSES;
    }

    boolean selectable(String field) {
        return field.equals("metadata.name")
                || (field.equals("metadata.namespace") && namespaced)
                || selectable.contains("," + field + ",");
    }

    /** The resource as error messages name it: {@code resourceslices.resource.k8s.io}. */
    public String qualifiedPlural() {
        return group().isEmpty() ? plural : plural + "." + group();
    }

    String qualifiedKind() {
        return group().isEmpty() ? kind : kind + "." + group();
    }
}
