package io.imexagent.kubernetes;

import io.imexagent.kubernetes.Pods.PodObject;
import java.util.List;

/**
 * Finds pods of this node by their PodGroup. A claim that is reserved for a PodGroup names no pod; the kubelet admits
 * each pod that names the group in {@code spec.schedulingGroup.podGroupName}, and this interface finds pods by that
 * field. Calls block.
 */
@FunctionalInterface
public interface GroupPods {

    /**
     * Finds the node's pods that are in this group of the namespace, use the claim and have not ended. Makes one list
     * of the namespace's pods on the node, and fails also if one of them cannot be read.
     */
    List<GroupPod> using(String namespace, String group, String claim) throws ApiException;

    record GroupPod(String name, PodObject pod) {}
}
