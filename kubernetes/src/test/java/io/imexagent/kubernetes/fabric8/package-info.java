/** Tests of the client over a small HTTP server. */
@NullMarked
package io.imexagent.kubernetes.fabric8;

import org.jspecify.annotations.NullMarked;
