/** The RDMA side of the node as the agent looks after it: settings, readings, and word of every change. */
@NullMarked
package io.imexagent.agent.rdma;

import org.jspecify.annotations.NullMarked;
