/** Reads the RDMA side of a host from sysfs and procfs under an injected root. */
@NullMarked
package io.imexagent.rdma.probe;

import org.jspecify.annotations.NullMarked;
