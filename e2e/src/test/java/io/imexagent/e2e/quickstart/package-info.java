/**
 * docs/quickstart.md as a program: its commands, and what it shows that they print. {@code DemoE2e} runs those in a checkout,
 * {@code QuickstartE2e} those on a host.
 */
package io.imexagent.e2e.quickstart;
