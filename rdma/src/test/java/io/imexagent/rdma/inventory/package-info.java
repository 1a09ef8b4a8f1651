/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.rdma.inventory;

import org.jspecify.annotations.NullMarked;
