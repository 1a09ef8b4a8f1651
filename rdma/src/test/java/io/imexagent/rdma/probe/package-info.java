/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.rdma.probe;

import org.jspecify.annotations.NullMarked;
