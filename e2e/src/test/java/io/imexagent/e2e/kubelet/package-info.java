/** The kubelet double against the agent's own server, and against one made by hand. */
@NullMarked
package io.imexagent.e2e.kubelet;

import org.jspecify.annotations.NullMarked;
