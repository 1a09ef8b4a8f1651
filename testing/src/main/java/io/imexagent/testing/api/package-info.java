/**
 * A double of the Kubernetes API server: real HTTP, in-memory objects, the rules of the real server for the types that
 * this project uses, and faults on request. Start reading at {@link io.imexagent.testing.api.ApiDouble}.
 */
@NullMarked
package io.imexagent.testing.api;

import org.jspecify.annotations.NullMarked;
