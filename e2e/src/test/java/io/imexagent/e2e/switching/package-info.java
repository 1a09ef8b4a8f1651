/**
 * docs/switching.md, walked in both directions: its commands, run as they stand there, between the real agent and
 * controller and the calls of the public one, over an API server that enforces the stored policies. Start reading at
 * {@link io.imexagent.e2e.switching.SwitchingPageIT}.
 */
package io.imexagent.e2e.switching;
