/** Publication: the node's devices as ResourceSlices, and its clique as a node label. */
@NullMarked
package io.imexagent.agent.publish;

import org.jspecify.annotations.NullMarked;
