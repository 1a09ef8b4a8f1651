package io.imexagent.e2e.agent;

import io.imexagent.testing.kubelet.KubeletClaimRequest;

/**
 * A pod of the node with its claim for channel 0.
 *
 * @param pod the pod's name
 * @param claim the claim, as the kubelet names it
 * @param domainUid the UID of its ComputeDomain
 */
public record ClaimedPod(String pod, KubeletClaimRequest claim, String domainUid) {

    /** The CDI device that its container is given. */
    public String cdiDevice() {
        return "k8s.compute-domain.nvidia.com/claim=" + claim.uid() + "-channel-0";
    }
}
