/** What is reported of RDMA NICs: tables and JSON for commands, and the checks of what must hold on the host. */
@NullMarked
package io.imexagent.rdma.report;

import org.jspecify.annotations.NullMarked;
