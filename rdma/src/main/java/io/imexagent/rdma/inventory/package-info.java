/** The RDMA NICs of a node at one moment, and what of the host bears on them. */
@NullMarked
package io.imexagent.rdma.inventory;

import org.jspecify.annotations.NullMarked;
