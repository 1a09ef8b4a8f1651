/** The view of the RDMA side, kept fresh, and what the operator decided about it. */
@NullMarked
package io.imexagent.rdma.watch;

import org.jspecify.annotations.NullMarked;
