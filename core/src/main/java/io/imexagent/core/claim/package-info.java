/** Resource claims as Kubernetes allocates them: identifiers, allocation, opaque configuration. */
@NullMarked
package io.imexagent.core.claim;

import org.jspecify.annotations.NullMarked;
