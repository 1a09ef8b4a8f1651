/**
 * End-to-end tests: the built agent as a process, on real mounts, with a real container engine and a compiled driver
 * library. They need root; {@code e2e/bin/e2e} prepares a mount namespace for them and starts them.
 */
package io.imexagent.e2e.scenario;
