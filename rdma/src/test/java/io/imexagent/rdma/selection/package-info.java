/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.rdma.selection;

import org.jspecify.annotations.NullMarked;
