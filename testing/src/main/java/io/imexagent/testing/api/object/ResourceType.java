package io.imexagent.testing.api.object;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A type of object that the double serves. */
public enum ResourceType {
    /** Namespaces; creating an object in one that does not exist is refused. */
    NAMESPACES("", "v1", "namespaces", "Namespace", Scope.CLUSTER, false),
    /** Nodes. */
    NODES("", "v1", "nodes", "Node", Scope.CLUSTER, true),
    /** Pods. */
    PODS("", "v1", "pods", "Pod", Scope.NAMESPACED, true),
    /** Events of the core group. */
    EVENTS("", "v1", "events", "Event", Scope.NAMESPACED, false),
    /** ResourceClaims. */
    RESOURCE_CLAIMS("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", Scope.NAMESPACED, true),
    /** ResourceClaimTemplates. */
    RESOURCE_CLAIM_TEMPLATES(
            "resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", Scope.NAMESPACED, false),
    /** ResourceSlices. */
    RESOURCE_SLICES("resource.k8s.io", "v1", "resourceslices", "ResourceSlice", Scope.CLUSTER, false),
    /** DeviceClasses. */
    DEVICE_CLASSES("resource.k8s.io", "v1", "deviceclasses", "DeviceClass", Scope.CLUSTER, false),
    /** ComputeDomains: a custom resource. */
    COMPUTE_DOMAINS("resource.nvidia.com", "v1beta1", "computedomains", "ComputeDomain", Scope.NAMESPACED, true),
    /** What nodes hold: a custom resource. */
    NVLINK_NODES("imexagent.io", "v1alpha1", "nvlinknodes", "NVLinkNode", Scope.CLUSTER, false),
    /** Tables of channels: a custom resource. */
    NVLINK_CLIQUES("imexagent.io", "v1alpha1", "nvlinkcliques", "NVLinkClique", Scope.CLUSTER, false),
    /** Leases. */
    LEASES("coordination.k8s.io", "v1", "leases", "Lease", Scope.NAMESPACED, false);

    private enum Scope {
        CLUSTER,
        NAMESPACED
    }

    private static final List<ResourceType> ALL = List.of(values());

    private final String group;
    private final String version;
    private final String plural;
    private final String kind;
    private final Scope scope;
    private final boolean statusSubresource;

    ResourceType(String group, String version, String plural, String kind, Scope scope, boolean statusSubresource) {
        this.group = group;
        this.version = version;
        this.plural = plural;
        this.kind = kind;
        this.scope = scope;
        this.statusSubresource = statusSubresource;
    }

    /** The type with this plural name in this group and version. */
    public static Optional<ResourceType> find(String group, String version, String plural) {
        return ALL.stream()
                .filter(type -> type.plural.equals(plural) && type.group.equals(group) && type.version.equals(version))
                .findFirst();
    }

    /** The type of objects with this {@code apiVersion} and {@code kind}. */
    public static Optional<ResourceType> ofKind(String apiVersion, String kind) {
        return ALL.stream()
                .filter(type -> type.kind.equals(kind) && type.apiVersion().equals(apiVersion))
                .findFirst();
    }

    /** The types of one group. */
    public static List<ResourceType> ofGroup(String group) {
        return ALL.stream().filter(type -> type.group.equals(group)).toList();
    }

    /** The API group; empty for the core group. */
    public String group() {
        return group;
    }

    /** The version within the group. */
    public String version() {
        return version;
    }

    /** Group and version as objects carry them. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** The name in URLs, also the resource name of RBAC rules. */
    public String plural() {
        return plural;
    }

    /** The kind of one object. */
    public String kind() {
        return kind;
    }

    /** Whether objects live in a namespace. */
    public boolean namespaced() {
        return scope == Scope.NAMESPACED;
    }

    /** Whether status is written through {@code /status} only. */
    public boolean hasStatusSubresource() {
        return statusSubresource;
    }

    /** Whether this is a custom resource, whose validation and patch rules differ from those of built-in types. */
    public boolean custom() {
        return this == COMPUTE_DOMAINS || this == NVLINK_NODES || this == NVLINK_CLIQUES;
    }

    /** Whether objects count changes of their spec in {@code metadata.generation}. */
    boolean hasGeneration() {
        return custom() || this == RESOURCE_SLICES || this == DEVICE_CLASSES;
    }

    boolean selectable(String field) {
        return field.equals("metadata.name")
                || (field.equals("metadata.namespace") && namespaced())
                || selectableFields().contains(field);
    }

    private Set<String> selectableFields() {
        return switch (this) {
            case NODES -> Set.of("spec.unschedulable");
            case PODS -> Set.of("spec.nodeName", "status.phase");
            case EVENTS ->
                Set.of(
                        "involvedObject.kind",
                        "involvedObject.name",
                        "involvedObject.namespace",
                        "involvedObject.uid",
                        "reason",
                        "type");
            case RESOURCE_SLICES -> Set.of("spec.nodeName", "spec.driver");
            case NAMESPACES,
                    RESOURCE_CLAIMS,
                    RESOURCE_CLAIM_TEMPLATES,
                    DEVICE_CLASSES,
                    COMPUTE_DOMAINS,
                    NVLINK_NODES,
                    NVLINK_CLIQUES,
                    LEASES -> Set.of();
        };
    }

    /** The resource as error messages name it: {@code resourceslices.resource.k8s.io}. */
    public String qualifiedPlural() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    String qualifiedKind() {
        return group.isEmpty() ? kind : kind + "." + group;
    }
}
