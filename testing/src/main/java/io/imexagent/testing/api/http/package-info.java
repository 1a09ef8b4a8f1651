/** HTTP/1.1 for the API server double, with control over the connection itself, which faults need. */
@NullMarked
package io.imexagent.testing.api.http;

import org.jspecify.annotations.NullMarked;
