package io.imexagent.testing.api.object;

import static io.imexagent.testing.api.object.Shape.Leaf.ANY;
import static io.imexagent.testing.api.object.Shape.Leaf.FLAG;
import static io.imexagent.testing.api.object.Shape.Leaf.TEXT;
import static io.imexagent.testing.api.object.Shape.Leaf.WHOLE;

import io.imexagent.testing.api.object.Shape.Fields;
import io.imexagent.testing.api.object.Shape.Items;
import io.imexagent.testing.api.object.Shape.Keyed;
import java.util.HashMap;
import java.util.Map;

/** The shapes of the types, as resource.k8s.io/v1 of Kubernetes 1.36 and our CRDs know them. */
final class Shapes {
    private static final Shape TEXTS = new Items(TEXT);
    private static final Shape TEXT_MAP = new Keyed(TEXT);

    private static final Shape METADATA = new Fields(Map.ofEntries(
            Map.entry("name", TEXT),
            Map.entry("generateName", TEXT),
            Map.entry("namespace", TEXT),
            Map.entry("uid", TEXT),
            Map.entry("resourceVersion", TEXT),
            Map.entry("generation", WHOLE),
            Map.entry("creationTimestamp", TEXT),
            Map.entry("deletionTimestamp", TEXT),
            Map.entry("deletionGracePeriodSeconds", WHOLE),
            Map.entry("labels", TEXT_MAP),
            Map.entry("annotations", TEXT_MAP),
            Map.entry("finalizers", TEXTS),
            Map.entry("managedFields", ANY),
            Map.entry("selfLink", TEXT),
            Map.entry(
                    "ownerReferences",
                    new Items(new Fields(Map.of(
                            "apiVersion",
                            TEXT,
                            "kind",
                            TEXT,
                            "name",
                            TEXT,
                            "uid",
                            TEXT,
                            "controller",
                            FLAG,
                            "blockOwnerDeletion",
                            FLAG))))));

    private static final Shape OPAQUE = new Fields(Map.of("driver", TEXT, "parameters", ANY));

    private static final Shape CLAIM_SPEC = new Fields(Map.of(
            "devices",
            new Fields(Map.of(
                    "requests",
                    new Items(new Fields(Map.of(
                            "name",
                            TEXT,
                            "exactly",
                            new Fields(Map.of(
                                    "deviceClassName",
                                    TEXT,
                                    "selectors",
                                    ANY,
                                    "allocationMode",
                                    TEXT,
                                    "count",
                                    WHOLE,
                                    "adminAccess",
                                    FLAG,
                                    "tolerations",
                                    ANY,
                                    "capacity",
                                    ANY)),
                            "firstAvailable",
                            ANY))),
                    "constraints",
                    ANY,
                    "config",
                    new Items(new Fields(Map.of("requests", TEXTS, "opaque", OPAQUE)))))));

    private static final Shape ALLOCATION = new Fields(Map.of(
            "devices",
            new Fields(Map.of(
                    "results",
                    new Items(new Fields(Map.of(
                            "request",
                            TEXT,
                            "driver",
                            TEXT,
                            "pool",
                            TEXT,
                            "device",
                            TEXT,
                            "adminAccess",
                            FLAG,
                            "tolerations",
                            ANY,
                            "bindingConditions",
                            TEXTS,
                            "bindingFailureConditions",
                            TEXTS,
                            "shareID",
                            TEXT,
                            "consumedCapacity",
                            ANY))),
                    "config",
                    new Items(new Fields(Map.of("source", TEXT, "requests", TEXTS, "opaque", OPAQUE))))),
            "nodeSelector",
            ANY,
            "allocationTimestamp",
            TEXT));

    private static final Shape CLAIM_STATUS = new Fields(Map.of(
            "allocation",
            ALLOCATION,
            "reservedFor",
            new Items(new Fields(Map.of("apiGroup", TEXT, "resource", TEXT, "name", TEXT, "uid", TEXT))),
            "devices",
            ANY));

    private static final Shape DEVICE = new Fields(Map.ofEntries(
            Map.entry("name", TEXT),
            Map.entry(
                    "attributes",
                    new Keyed(new Fields(Map.of("int", WHOLE, "bool", FLAG, "string", TEXT, "version", TEXT)))),
            Map.entry("capacity", new Keyed(new Fields(Map.of("value", ANY, "requestPolicy", ANY)))),
            Map.entry("consumesCounters", ANY),
            Map.entry("nodeName", TEXT),
            Map.entry("nodeSelector", ANY),
            Map.entry("allNodes", FLAG),
            Map.entry(
                    "taints",
                    new Items(new Fields(Map.of("key", TEXT, "value", TEXT, "effect", TEXT, "timeAdded", TEXT)))),
            Map.entry("bindsToNode", FLAG),
            Map.entry("bindingConditions", TEXTS),
            Map.entry("bindingFailureConditions", TEXTS),
            Map.entry("allowMultipleAllocations", FLAG)));

    /** ComputeDomain. */
    static final Shape COMPUTE_DOMAIN = object(Map.of(
            "spec",
            new Fields(Map.of(
                    "numNodes",
                    WHOLE,
                    "channel",
                    new Fields(Map.of(
                            "resourceClaimTemplate", new Fields(Map.of("name", TEXT)), "allocationMode", TEXT)))),
            "status",
            new Fields(Map.of(
                    "status",
                    TEXT,
                    "nodes",
                    new Items(new Fields(Map.of(
                            "name", TEXT, "ipAddress", TEXT, "cliqueID", TEXT, "index", WHOLE, "status", TEXT)))))));

    /** NVLinkNode. */
    static final Shape NVLINK_NODE = object(Map.of(
            "spec",
            new Fields(Map.of(
                    "session",
                    TEXT,
                    "write",
                    WHOLE,
                    "cliques",
                    TEXTS,
                    "bootID",
                    TEXT,
                    "imexChannelCount",
                    WHOLE,
                    "holds",
                    new Items(new Fields(Map.of(
                            "computeDomain", TEXT, "namespace", TEXT, "name", TEXT, "channel", WHOLE, "kept", FLAG))))),
            "status",
            new Fields(Map.of(
                    "clique", TEXT, "driver", TEXT, "gpus", WHOLE, "imex", TEXT, "imexSince", TEXT, "peers", TEXT))));

    /** NVLinkClique. */
    static final Shape NVLINK_CLIQUE = object(Map.of(
            "spec",
            new Fields(Map.of(
                    "limit",
                    WHOLE,
                    "channels",
                    new Items(new Fields(Map.of(
                            "id",
                            WHOLE,
                            "computeDomain",
                            TEXT,
                            "namespace",
                            TEXT,
                            "name",
                            TEXT,
                            "by",
                            TEXT,
                            "state",
                            TEXT)))))));

    /** ResourceSlice. */
    static final Shape RESOURCE_SLICE = object(Map.of(
            "spec",
            new Fields(Map.of(
                    "driver",
                    TEXT,
                    "nodeName",
                    TEXT,
                    "nodeSelector",
                    ANY,
                    "allNodes",
                    FLAG,
                    "perDeviceNodeSelection",
                    FLAG,
                    "pool",
                    new Fields(Map.of("name", TEXT, "generation", WHOLE, "resourceSliceCount", WHOLE)),
                    "sharedCounters",
                    ANY,
                    "devices",
                    new Items(DEVICE)))));

    /** ResourceClaim. */
    static final Shape RESOURCE_CLAIM = object(Map.of("spec", CLAIM_SPEC, "status", CLAIM_STATUS));

    /** ResourceClaimTemplate. */
    static final Shape RESOURCE_CLAIM_TEMPLATE = object(Map.of(
            "spec",
            new Fields(Map.of(
                    "metadata", new Fields(Map.of("labels", TEXT_MAP, "annotations", TEXT_MAP)), "spec", CLAIM_SPEC))));

    /** DeviceClass. */
    static final Shape DEVICE_CLASS = object(Map.of(
            "spec",
            new Fields(Map.of(
                    "selectors",
                    new Items(new Fields(Map.of("cel", new Fields(Map.of("expression", TEXT))))),
                    "config",
                    new Items(new Fields(Map.of("opaque", OPAQUE))),
                    "extendedResourceName",
                    TEXT))));

    private Shapes() {}

    private static Shape object(Map<String, Shape> own) {
        Map<String, Shape> all = new HashMap<>(own);
        all.put("apiVersion", TEXT);
        all.put("kind", TEXT);
        all.put("metadata", METADATA);
        return new Fields(all);
    }
}
