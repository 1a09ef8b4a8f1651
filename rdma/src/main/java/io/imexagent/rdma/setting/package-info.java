/** What can be set of RDMA NICs: the section {@code rdma} of the configuration. */
@NullMarked
package io.imexagent.rdma.setting;

import org.jspecify.annotations.NullMarked;
