/** Who asks, and what they may do: authentication, roles, and the node restriction of the Kubernetes API server. */
@NullMarked
package io.imexagent.testing.api.access;

import org.jspecify.annotations.NullMarked;
