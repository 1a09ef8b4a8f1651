/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.rdma.dra;

import org.jspecify.annotations.NullMarked;
