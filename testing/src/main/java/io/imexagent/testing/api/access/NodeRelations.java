package io.imexagent.testing.api.access;

import io.imexagent.testing.api.object.ObjectKey;

/** What the objects in the store have to do with a node: the graph of the Node authorizer. */
public interface NodeRelations {
    /** Whether a pod on the node uses the claim. */
    boolean claimBelongsTo(ObjectKey claim, String node);

    /** Whether the slice exists and is the node's. */
    boolean sliceBelongsTo(ObjectKey slice, String node);

    /** Whether the pod is bound to the node. */
    boolean podBelongsTo(ObjectKey pod, String node);
}
