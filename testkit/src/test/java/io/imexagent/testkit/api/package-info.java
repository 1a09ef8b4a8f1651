/** Tests of the API server double, over its real sockets. */
@NullMarked
package io.imexagent.testkit.api;

import org.jspecify.annotations.NullMarked;
