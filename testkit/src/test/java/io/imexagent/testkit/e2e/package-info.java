/**
 * End-to-end tests: the built agent as a process, on real mounts, with a real container engine and a compiled driver
 * library. They need root; {@code testkit/bin/e2e} prepares a mount namespace for them and starts them.
 */
@NullMarked
package io.imexagent.testkit.e2e;

import org.jspecify.annotations.NullMarked;
