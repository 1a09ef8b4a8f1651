/**
 * A small HTTP/1.1 server for the API server double: one thread per connection, one write per answer, and control over
 * the connection itself (drop, refuse, stream), which faults need.
 */
@NullMarked
package io.imexagent.testing.api.http;

import org.jspecify.annotations.NullMarked;
