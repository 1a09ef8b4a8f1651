/**
 * End-to-end tests of the installed package: a small Debian, booted with systemd-nspawn, on which rpm installs what
 * {@code make rpm} has built. {@code e2e/bin/e2e-host} runs them.
 */
package io.imexagent.e2e.machine;
