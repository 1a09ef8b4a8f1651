/** What must be so before RDMA NICs can be handed to containers. */
@NullMarked
package io.imexagent.rdma.check;

import org.jspecify.annotations.NullMarked;
