/** Tests of access to a cluster, and what tests of the client need to set it up. */
@NullMarked
package io.imexagent.kubernetes.access;

import org.jspecify.annotations.NullMarked;
