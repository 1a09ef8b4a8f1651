/** Decides which NICs may be handed to containers, and says of every other one why not. Pure. */
@NullMarked
package io.imexagent.rdma.selection;

import org.jspecify.annotations.NullMarked;
