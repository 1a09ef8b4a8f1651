/** RDMA NICs from the examples' templates to the container: real agent, doubles of everything else. */
@NullMarked
package io.imexagent.e2e.rails;

import org.jspecify.annotations.NullMarked;
