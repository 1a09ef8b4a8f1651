/** Tests of the client over a small HTTP server. */
@NullMarked
package io.imexagent.kubernetes;

import org.jspecify.annotations.NullMarked;
