/** RDMA NICs from the examples' templates to the container: real agent, doubles of everything else. */
@NullMarked
package io.imexagent.testkit.rails;

import org.jspecify.annotations.NullMarked;
