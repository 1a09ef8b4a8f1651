/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.rdma.watch;

import org.jspecify.annotations.NullMarked;
