/** Tests of the API server double, over its real sockets. */
@NullMarked
package io.imexagent.testing.api;

import org.jspecify.annotations.NullMarked;
