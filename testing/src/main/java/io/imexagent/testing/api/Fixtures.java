package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.util.Locale;

/**
 * Objects modelled on those captured from a real Kubernetes 1.36 cluster that ran the public driver. Each call makes a
 * new tree, which the caller may change.
 */
public final class Fixtures {
    /** The driver that publishes the channels. */
    public static final String DRIVER = "compute-domain.nvidia.com";

    private static final String CREATED = "2026-11-21T05:46:48Z";

    private Fixtures() {}

    /** A Node that is ready. */
    public static ObjectNode node(String name, String uid) {
        return Json.literal("""
                {"apiVersion":"v1","kind":"Node",
                 "metadata":{"name":"%1$s","uid":"%2$s","creationTimestamp":"%3$s",
                  "labels":{"kubernetes.io/hostname":"%1$s","kubernetes.io/os":"linux","kubernetes.io/arch":"arm64"}},
                 "spec":{},
                 "status":{"addresses":[{"type":"InternalIP","address":"192.0.2.7"},{"type":"Hostname","address":"%1$s"}],
                  "conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}""".formatted(name, uid, CREATED));
    }

    /** A ComputeDomain with the finalizer of its controller, ready. */
    public static ObjectNode computeDomain(String namespace, String name, String uid, String claimTemplate) {
        return Json.literal("""
                {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain",
                 "metadata":{"namespace":"%s","name":"%s","uid":"%s","generation":1,"creationTimestamp":"%s",
                  "finalizers":["resource.nvidia.com/computeDomain"]},
                 "spec":{"numNodes":0,"channel":{"resourceClaimTemplate":{"name":"%s"},"allocationMode":"Single"}},
                 "status":{"status":"Ready"}}""".formatted(namespace, name, uid, CREATED, claimTemplate));
    }

    /** The claim template that the controller makes for a ComputeDomain. */
    public static ObjectNode claimTemplate(String namespace, String name, String computeDomainUid) {
        return Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate",
                 "metadata":{"namespace":"%s","name":"%s","creationTimestamp":"%s",
                  "finalizers":["resource.nvidia.com/computeDomain"],
                  "labels":{"resource.nvidia.com/computeDomain":"%4$s",
                            "resource.nvidia.com/computeDomainTarget":"Workload"}},
                 "spec":{"metadata":{},"spec":{"devices":%5$s}}}""".formatted(namespace, name, CREATED, computeDomainUid, requests(computeDomainUid)));
    }

    /** A claim for channel 0 as the scheduler leaves it: allocated on the node and reserved for the pod. */
    public static ObjectNode allocatedClaim(
            String namespace, String name, String uid, String node, String computeDomainUid, ObjectNode pod) {
        String podName = pod.path("metadata").path("name").asText();
        String podUid = pod.path("metadata").path("uid").asText();
        ObjectNode claim = unallocatedClaim(namespace, name, uid, computeDomainUid);
        claim.set("status", Json.literal("""
                        {"allocation":{"allocationTimestamp":"%s",
                          "devices":{
                           "results":[{"request":"channel","driver":"%s","pool":"%3$s","device":"channel-0"}],
                           "config":[{"source":"FromClaim","requests":["channel"],"opaque":%4$s}]},
                          "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[
                           {"key":"metadata.name","operator":"In","values":["%3$s"]}]}]}},
                         "reservedFor":[{"resource":"pods","name":"%5$s","uid":"%6$s"}]}""".formatted(
                        CREATED, DRIVER, node, opaque(computeDomainUid), podName, podUid)));
        return claim;
    }

    /** The same claim before the scheduler saw it. */
    public static ObjectNode unallocatedClaim(String namespace, String name, String uid, String computeDomainUid) {
        return Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
                 "metadata":{"namespace":"%s","name":"%s","uid":"%s","creationTimestamp":"%s",
                  "finalizers":["resource.kubernetes.io/delete-protection"],
                  "annotations":{"resource.kubernetes.io/pod-claim-name":"imex-channel-0"}},
                 "spec":{"devices":%s},
                 "status":{}}""".formatted(namespace, name, uid, CREATED, requests(computeDomainUid)));
    }

    /** A Pod that is bound to the node and uses the claim. */
    public static ObjectNode pod(String namespace, String name, String uid, String node, String claimName) {
        return Json.literal("""
                {"apiVersion":"v1","kind":"Pod",
                 "metadata":{"namespace":"%s","name":"%s","uid":"%s","creationTimestamp":"%s"},
                 "spec":{"nodeName":"%s",
                  "containers":[{"name":"ctr","image":"ubuntu:24.04",
                   "resources":{"claims":[{"name":"imex-channel-0"}]}}],
                  "resourceClaims":[{"name":"imex-channel-0","resourceClaimTemplateName":"imex-channel-0"}]},
                 "status":{"phase":"Pending",
                  "resourceClaimStatuses":[{"name":"imex-channel-0","resourceClaimName":"%s"}]}}""".formatted(namespace, name, uid, CREATED, node, claimName));
    }

    /** A slice with channel 0 of a node, to create: it has a generateName and no name. */
    public static ObjectNode resourceSlice(String node, String nodeUid) {
        return Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",
                 "metadata":{"generateName":"00000-%1$s-%2$s-",
                  "ownerReferences":[
                   {"apiVersion":"v1","kind":"Node","controller":true,"name":"%2$s","uid":"%3$s"}]},
                 "spec":{"driver":"%1$s","nodeName":"%2$s",
                  "pool":{"name":"%2$s","generation":1,"resourceSliceCount":1},
                  "devices":[{"name":"channel-0","attributes":{"type":{"string":"channel"},"id":{"int":0}}}]}}""".formatted(DRIVER, node, nodeUid));
    }

    /** The device class that claims for channel 0 ask for. */
    public static ObjectNode deviceClass() {
        return Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass",
                 "metadata":{"name":"compute-domain-default-channel.nvidia.com"},
                 "spec":{"selectors":[{"cel":{"expression":"device.driver == '%1$s' \
                && device.attributes['%1$s'].type == 'channel' && device.attributes['%1$s'].id == 0"}}]}}""".formatted(DRIVER));
    }

    /** A UID made from a number, the same each time. */
    public static String uid(int number) {
        return String.format(Locale.ROOT, "00000000-0000-4000-8000-%012d", number);
    }

    private static String requests(String computeDomainUid) {
        return """
                {"requests":[{"name":"channel","exactly":{
                  "deviceClassName":"compute-domain-default-channel.nvidia.com",
                  "allocationMode":"ExactCount","count":1}}],
                 "config":[{"requests":["channel"],"opaque":%s}]}""".formatted(opaque(computeDomainUid));
    }

    private static String opaque(String computeDomainUid) {
        return """
                {"driver":"%s","parameters":{"allocationMode":"Single","apiVersion":"resource.nvidia.com/v1beta1",\
                "domainID":"%s","kind":"ComputeDomainChannelConfig"}}""".formatted(DRIVER, computeDomainUid);
    }
}
