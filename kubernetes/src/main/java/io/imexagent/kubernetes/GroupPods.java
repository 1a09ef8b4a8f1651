package io.imexagent.kubernetes;

import io.imexagent.kubernetes.Pods.PodObject;
import java.util.List;

/**
 * Pods of this node by their PodGroup. A claim that is reserved for a PodGroup names no pod; the kubelet lets a pod have it
 * that names the group in {@code spec.schedulingGroup.podGroupName}, and so is found. Calls block.
 */
@FunctionalInterface
public interface GroupPods {

    /**
     * The pods of the node that are in the group of that name, use the claim and have not ended. One list of the pods that
     * the namespace has on the node; fails also where one of them cannot be read.
     */
    List<GroupPod> using(String namespace, String group, String claim) throws ApiException;

    record GroupPod(String name, PodObject pod) {}
}
